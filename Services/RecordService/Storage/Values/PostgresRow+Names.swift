package import CloudKitModel
package import PostgresClient

/// Record names in results and parameters.
extension PostgresRow {
    /// Returns the name in a column that is not null.
    package func recordName(_ column: Int) -> RecordName { RecordName(unchecked: string(column)) }

    /// Returns the name in a column; nil if the column is null.
    func recordNameIfPresent(_ column: Int) -> RecordName? {
        stringIfPresent(column).map(RecordName.init(unchecked:))
    }
}

extension PostgresParameter {
    /// Creates a `text[]` parameter from the names of records.
    package static func names(_ names: [RecordName]) -> PostgresParameter { .textArray(names.map(\.rawValue)) }
}
