/// The fault of a hostile request.
enum HostileKind: String, Sendable, CaseIterable {
    // Faults of one header, property, parameter or member of a body.
    case wrongType, missing, null, repeated, manyEntries, depth, longText, emptyText, nul, loneSurrogate, invalidUTF8
    case strangeText, hugeNumber
    // Faults of a whole body.
    case otherEncoding, truncated, noObject, flippedBytes, compressed
    // Faults of a connection.
    case brokerFrames, httpFrames
    // Attacks that once stopped a service; see ``KnownAttacks``.
    case madeUpReplyTo, nestedTables, repeatedLookup, oversizedAnswer, heldSchema, heldZone, lookAlikeNames
    case compressedBodies

    /// The faults of a value in a body.
    static let ofMembers: [HostileKind] = [
        .wrongType, .missing, .null, .repeated, .manyEntries, .depth, .longText, .emptyText, .nul, .loneSurrogate,
        .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// The faults of a message header.
    static let ofHeaders = ofMembers
    /// The faults of a message property, which is always a short string or a number.
    static let ofProperties: [HostileKind] = [
        .missing, .longText, .emptyText, .nul, .loneSurrogate, .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// The faults of a parameter in a path, a query or an HTTP header.
    static let ofParameters: [HostileKind] = [
        .missing, .repeated, .longText, .emptyText, .nul, .loneSurrogate, .invalidUTF8, .strangeText, .hugeNumber,
    ]
    /// The faults of a body.
    static let ofBodies: [HostileKind] = [.otherEncoding, .truncated, .noObject, .flippedBytes]
    /// Attacks that once stopped a service.
    static let known: [HostileKind] = [
        .madeUpReplyTo, .nestedTables, .repeatedLookup, .oversizedAnswer, .heldSchema, .heldZone, .lookAlikeNames,
        .compressedBodies,
    ]
    /// The faults that cost megabytes each, and are used less often.
    static let heavy: Set<HostileKind> = [.manyEntries, .depth, .longText, .compressed]
}
