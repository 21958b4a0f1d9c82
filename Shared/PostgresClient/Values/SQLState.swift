/// PostgreSQL's five-character code for a condition, such as `23505`.
///
/// Only the codes that Zonda distinguishes have a name here. Any other code is kept as the server sent it.
package struct SQLState: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters, which identify the class of the condition, such as `23` for integrity constraints.
    package var conditionClass: Substring { rawValue.prefix(2) }
}

extension SQLState: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

extension SQLState: CustomStringConvertible {
    package var description: String { rawValue }
}

extension SQLState {
    // Connection exceptions, class 08.
    package static let connectionException: SQLState = "08000"
    package static let connectionFailure: SQLState = "08006"

    // Data exceptions, class 22.
    package static let stringDataRightTruncation: SQLState = "22001"
    package static let numericValueOutOfRange: SQLState = "22003"
    package static let datetimeFieldOverflow: SQLState = "22008"
    package static let invalidParameterValue: SQLState = "22023"
    package static let characterNotInRepertoire: SQLState = "22021"
    package static let invalidTextRepresentation: SQLState = "22P02"
    package static let untranslatableCharacter: SQLState = "22P05"

    // Integrity constraints, class 23.
    package static let notNullViolation: SQLState = "23502"
    package static let foreignKeyViolation: SQLState = "23503"
    package static let uniqueViolation: SQLState = "23505"
    package static let checkViolation: SQLState = "23514"
    package static let exclusionViolation: SQLState = "23P01"

    // Transactions, classes 25 and 40.
    package static let readOnlyTransaction: SQLState = "25006"
    package static let inFailedTransaction: SQLState = "25P02"
    package static let serializationFailure: SQLState = "40001"
    package static let deadlockDetected: SQLState = "40P01"

    // Names and privileges, classes 26, 28, 3D, 3F and 42.
    package static let invalidStatementName: SQLState = "26000"
    package static let invalidAuthorization: SQLState = "28000"
    package static let invalidPassword: SQLState = "28P01"
    package static let invalidCatalogName: SQLState = "3D000"
    package static let invalidSchemaName: SQLState = "3F000"
    package static let insufficientPrivilege: SQLState = "42501"
    package static let syntaxError: SQLState = "42601"
    package static let undefinedColumn: SQLState = "42703"
    package static let duplicateColumn: SQLState = "42701"
    package static let undefinedFunction: SQLState = "42883"
    package static let undefinedTable: SQLState = "42P01"
    package static let duplicateSchema: SQLState = "42P06"
    package static let duplicateTable: SQLState = "42P07"
    package static let undefinedObject: SQLState = "42704"
    package static let duplicateObject: SQLState = "42710"

    // Insufficient resources, object states and operator intervention, classes 53 to 57.
    package static let outOfMemory: SQLState = "53200"
    package static let tooManyConnections: SQLState = "53300"
    package static let programLimitExceeded: SQLState = "54000"
    package static let objectInUse: SQLState = "55006"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let queryCanceled: SQLState = "57014"
    package static let adminShutdown: SQLState = "57P01"
    package static let crashShutdown: SQLState = "57P02"
    package static let cannotConnectNow: SQLState = "57P03"

    // Unsupported features. The server also uses this code for a prepared statement whose result type has changed.
    package static let featureNotSupported: SQLState = "0A000"
}
