internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Enforces the quotas of databases and containers.
///
/// An upload whose length is known can be refused early, based on totals that other uploads might change in the
/// meantime. The transaction that records the content makes the final decision.
struct Quotas: Sendable {
    /// The quotas that apply to containers without individual quotas.
    let usual: Quota
    let table: BlobTable

    /// Returns the quotas that currently apply to a database, and their usage. Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    func usage(of scope: AssetScope) async throws -> QuotaUsage {
        var usage = try await table.quotaUsage(of: scope, usual: usual)
        usage.isOfAnotherUser = scope.participant != nil
        return usage
    }

    /// Checks the sizes announced by the tokens of an `assets.upload` request. Takes one round trip, or none if no
    /// sizes are announced.
    ///
    /// - Throws: `QUOTA_EXCEEDED` or `PostgresError`.
    func admit(_ request: OpenedRequest, to scope: AssetScope) async throws {
        // The operation itself refuses malformed bodies.
        guard let body = try? JSONValue(parsing: request.delivery.body), let tokens = body["tokens"] else { return }
        let announced = (tokens.members == nil ? tokens.array ?? [] : [tokens]).compactMap { token in
            (token["size"]?.int).flatMap { $0 > 0 ? (bytes: $0, field: token["fieldName"]?.string) : nil }
        }
        guard !announced.isEmpty else { return }
        let usage = try await usage(of: scope)
        var sum: Int64 = 0
        for token in announced {
            let (next, overflow) = sum.addingReportingOverflow(token.bytes)
            sum = overflow ? .max / 2 : min(next, .max / 2)
            try usage.admit(sum, field: token.field)
        }
    }

    /// Records uploaded content with ``BlobTable/arrive(_:size:for:generation:receiptLife:within:usual:)``.
    ///
    /// - Parameters:
    ///   - usage: the quotas at the beginning of the upload. If there were none, quotas that are set later do not
    ///     apply.
    ///   - field: the field that an error names.
    /// - Throws: `QUOTA_EXCEEDED` or `PostgresError`.
    func arrive(
        _ content: AssetContent, for scope: AssetScope, within usage: QuotaUsage, field: String?, generation: UUID,
        receiptLife: Duration
    ) async throws -> BlobTable.Arrival {
        do {
            return try await table.arrive(
                content.checksum, size: content.size, for: scope, generation: generation, receiptLife: receiptLife,
                within: usage, usual: usual)
        } catch let error as QuotaExceeded {
            throw ServerError.assetQuotaExceeded(error, ofAnotherUser: scope.participant != nil, field: field)
        }
    }
}

extension QuotaUsage {
    /// Checks that `bytes` additional bytes fit within every quota.
    ///
    /// - Parameter field: the field that an error names.
    /// - Throws: `QUOTA_EXCEEDED`.
    func admit(_ bytes: Int64, field: String?) throws(ServerError) {
        do {
            try admit(bytes)
        } catch {
            throw .assetQuotaExceeded(error, ofAnotherUser: isOfAnotherUser, field: field)
        }
    }
}
