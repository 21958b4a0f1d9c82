internal import CloudKitModel
internal import PostgresClient

/// Where a list of tokens or keys goes on: the last page's last, `container environment id`.
struct ListPlace: Sendable {
    /// As answers have it.
    let text: String

    private let parts: [String]

    /// What a request says; the beginning where it says nothing.
    ///
    /// - Throws: `BAD_REQUEST` when it is no answer's `after`.
    init(_ body: OperatorBody) throws(ServerError) {
        text = try body.text("after") ?? "  "
        parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw .wrongKind("after", expected: "an answer's 'after'") }
    }

    /// A row's, whose second and third columns are container and environment.
    init(_ row: PostgresRow, id: Int) {
        parts = [row.string(1), row.string(2), row.string(id)]
        text = parts.joined(separator: " ")
    }

    /// For `(container, environment, id) > ($1, $2, $3)`.
    var parameters: [PostgresParameter] { parts.map { .text($0) } }
}
