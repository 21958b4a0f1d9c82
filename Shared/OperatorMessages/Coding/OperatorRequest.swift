package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// The body of an operator's request. The command line encodes it, and a service decodes it.
package protocol OperatorRequest: Codable, Sendable {
    /// The body of the answer.
    associatedtype Answer: Codable, Sendable
    /// The operation that the request asks for.
    static var operation: ServiceMessages.Operation { get }
    /// How to treat members of the wrong type. By default, they are refused.
    static var wrongKinds: WrongKinds { get }
}

/// How to treat a member whose value has the wrong type, such as a number instead of a string.
package enum WrongKinds: Sendable {
    /// The request fails with the error `wrong_kind`.
    case refused
    /// The member is treated as absent. However, a list that contains an element of the wrong type is refused.
    case ignored
}

extension OperatorRequest {
    package static var wrongKinds: WrongKinds { .refused }

    /// Reads a request. A member whose value is null is treated as absent.
    ///
    /// - Throws: `missing_key` or `wrong_kind`, with the member's key as the field, or a ``ServerError`` thrown by the
    ///   member's type.
    package init(json: JSONValue) throws(ServerError) { self = try json.decoded(as: Self.self, Self.wrongKinds) }
}

/// A request for a list that is returned in pages.
package protocol OperatorListRequest: OperatorRequest where Answer: OperatorPage {
    /// The `after` of the preceding page; nil for the first page.
    var after: String? { get set }
}

/// A page of a list.
package protocol OperatorPage {
    /// The position at which the next page begins; nil for the last page.
    var after: String? { get }
}
