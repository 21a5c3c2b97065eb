"""Community SONiC: configuration is CONFIG_DB, a JSON document of tables whose values are all strings."""
