internal import CloudKitWire

extension WebDatabase {
    /// The largest number of persons in a request.
    static let maxPersons = 200

    /// Returns the record name of the user (`users/caller`).
    func currentUser() async throws(CKError) -> String {
        let answer = try await publicDatabase.answer("users/caller", [:])
        guard let name = answer["userRecordName"]?.string else { throw .unexpectedAnswer("it does not name the user") }
        return name
    }

    /// Finds users by what others know of them (`users/discover`).
    ///
    /// - Returns: The users who were found.
    func discover(_ infos: [JSONValue]) async throws(CKError) -> [JSONValue] {
        try await publicDatabase.items("users/discover", ["lookupInfos": .array(infos)], "users")
    }
}
