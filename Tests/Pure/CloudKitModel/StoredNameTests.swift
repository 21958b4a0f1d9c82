import CloudKitModel
import Testing

/// Names of environments and databases in the tables. Formerly, an unexpected name was read as development or private.
struct StoredNameTests {
    @Test func theNamesThatTablesHoldAreRead() throws {
        for environment in EnvironmentName.allCases {
            #expect(try EnvironmentName(stored: environment.rawValue, column: "a.b.c") == environment)
        }
        for scope in [DatabaseScope.public, .private] {
            #expect(try DatabaseScope(stored: scope.wireName, column: "a.b.c") == scope)
            #expect(try DatabaseScope(stored: scope.rawValue, column: "a.b.c") == scope)
        }
    }

    @Test(arguments: ["", "Production", "staging"])
    func anUnexpectedEnvironmentIsAnErrorThatNamesTheColumnAndTheValue(name: String) throws {
        let error = try #require(throws: StoredValueError.self) {
            try EnvironmentName(stored: name, column: "asset.holder.environment")
        }
        #expect(error == StoredValueError(column: "asset.holder.environment", value: name))
        #expect("\(error)" == "The column asset.holder.environment has the unexpected value '\(name)'.")
    }

    @Test(arguments: ["", "Public", "shared"])
    func anUnexpectedScopeIsAnErrorThatNamesTheColumnAndTheValue(name: String) {
        #expect(throws: StoredValueError(column: "asset.holder.scope", value: name)) {
            try DatabaseScope(stored: name, column: "asset.holder.scope")
        }
    }

    @Test(arguments: [Int16(0), 4, -1])
    func anUnexpectedNumberOfAScopeIsAnError(number: Int16) {
        #expect(throws: StoredValueError(column: "record.database.scope", value: "\(number)")) {
            try DatabaseScope(stored: number, column: "record.database.scope")
        }
    }
}
