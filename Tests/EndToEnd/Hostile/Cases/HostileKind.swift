/// What is wrong with a hostile request.
enum HostileKind: String, Sendable, CaseIterable {
    // One header, property, parameter or member of a body.
    case wrongType, missing, null, repeated, manyEntries, depth, longText, emptyText, nul, loneSurrogate, invalidUTF8
    case strangeText, hugeNumber
    // A whole body.
    case otherEncoding, truncated, noObject, flippedBytes, compressed
    // A connection.
    case brokerFrames, httpFrames
    // Attacks that once stopped a service: see ``KnownAttacks``.
    case madeUpReplyTo, nestedTables, repeatedLookup, oversizedAnswer, heldSchema, heldZone, lookAlikeNames
    case compressedBodies

    /// Those of a value in a body.
    static let ofMembers: [HostileKind] = [
        .wrongType, .missing, .null, .repeated, .manyEntries, .depth, .longText, .emptyText, .nul, .loneSurrogate,
        .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// Those of a header of a message.
    static let ofHeaders = ofMembers
    /// Those of a property of a message, which is a short string or a number whatever is written.
    static let ofProperties: [HostileKind] = [
        .missing, .longText, .emptyText, .nul, .loneSurrogate, .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// Those of a parameter of a path, a query or a header of HTTP.
    static let ofParameters: [HostileKind] = [
        .missing, .repeated, .longText, .emptyText, .nul, .loneSurrogate, .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// Those of a body.
    static let ofBodies: [HostileKind] = [.otherEncoding, .truncated, .noObject, .flippedBytes]
    /// Attacks that once stopped a service.
    static let known: [HostileKind] = [
        .madeUpReplyTo, .nestedTables, .repeatedLookup, .oversizedAnswer, .heldSchema, .heldZone, .lookAlikeNames,
        .compressedBodies,
    ]
    /// Those that cost megabytes each, and come less often.
    static let heavy: Set<HostileKind> = [.manyEntries, .depth, .longText, .compressed]
}
