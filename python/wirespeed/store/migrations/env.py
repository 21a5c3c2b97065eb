"""Run by Alembic: takes the connection that `wirespeed.store.schema` opened, and its transaction."""

from alembic import context

from wirespeed.store.schema import VERSIONS

context.configure(
    connection=context.config.attributes["connection"], version_table=VERSIONS, transaction_per_migration=False
)
context.run_migrations()
