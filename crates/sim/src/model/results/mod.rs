//! Results of a run: tables of plain columns, and their totals.

mod column;
pub mod document;
mod schema;
mod summary;
pub mod tables;

pub use column::Column;
pub use schema::schema;
pub use summary::Summary;

/// One table; all columns have the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name, one of those in [`tables`].
    pub name: &'static str,
    /// Name (with its unit) and values.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// A table with the columns that the schema declares, in that order ([`Outcome::assert_declared`]).
    pub fn new(name: &'static str, columns: Vec<(&'static str, Column)>) -> Self {
        Table { name, columns }
    }
}

/// Tables and totals.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The totals.
    pub summary: Summary,
    /// flows, ports, queues, pauses; series when something was sampled.
    pub tables: Vec<Table>,
    /// Tables that depend on the scenario only: links, paths, limits.
    pub context: Vec<Table>,
}

impl Outcome {
    /// Compares the columns of all tables with the schema. Tests call it: to build the schema costs more than a short run.
    ///
    /// # Panics
    ///
    /// A table or a column is not in the schema, or stands elsewhere, or has another type or other values.
    pub fn assert_declared(&self) {
        for table in self.tables.iter().chain(&self.context) {
            schema::assert_declared(table.name, &table.columns);
        }
    }
}
