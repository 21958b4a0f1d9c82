internal import AssetStorage
internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// Finds the content that a user already has in a database and therefore does not have to upload again. Either a record
/// in the user's private database uses the content, or the user presents a receipt for it.
///
/// A checksum alone is not proof, because the user might have learned it from someone else. Other users' content must
/// therefore be indistinguishable from content that does not exist, both in the answer and in the steps that lead to
/// it. A use in the public database is not proof either, because any user might have saved the record. Nor is a use in
/// another user's database, to which a participant uploads. In these databases, only a receipt is accepted.
struct OwnContents: Sendable {
    /// Content that a user claims to have.
    struct Claim: Sendable {
        let content: AssetContent
        let receipt: String?
    }

    /// An id that no blob has.
    private static let noBlob = BlobID(rawValue: 0)

    /// The signing keys for receipts.
    let keys: SigningKeys
    let table: BlobTable
    let receipts: AssetReceipts
    let uses: BlobUses

    /// Returns the assets of the valid claims, with new receipts. If the record service does not answer, only claims
    /// with receipts are valid.
    ///
    /// - Throws: `PostgresError`, ``BlobStoreError``.
    func assets(
        for claims: [Claim], in scope: AssetScope
    ) async throws -> [AssetContent: UploadedAsset] {
        guard !claims.isEmpty else { return [:] }
        var proven = Set(claims.filter { isReceipted($0, in: scope) }.map(\.content))
        let others = Set(claims.map(\.content)).subtracting(proven)
        if scope.scope == .private, scope.participant == nil, !others.isEmpty {
            proven.formUnion(try await used(others, in: scope))
        }
        let assets = try await receipts.receipts(for: Set(proven.map(\.checksum)), in: scope)
        return assets.reduce(into: [:]) { found, asset in
            let content = AssetContent(checksum: asset.key, size: asset.value.content.size)
            if proven.contains(content) { found[content] = asset.value }
        }
    }

    private func isReceipted(_ claim: Claim, in scope: AssetScope) -> Bool {
        guard let text = claim.receipt, let receipt = AssetReceipt(opening: text, with: keys) else { return false }
        return receipt.scope == scope && receipt.expiresAt > SystemClock.milliseconds()
            && receipt.checksum == claim.content.checksum && receipt.size == claim.content.size
    }

    /// Returns the content that records in the scope use. Always sends a request to the record service. The request
    /// names one blob per element of `contents`, regardless of which of them are stored.
    private func used(
        _ contents: Set<AssetContent>, in scope: AssetScope
    ) async throws -> [AssetContent] {
        let contents = Array(contents)
        let stored = try await table.ids(of: contents.map(\.checksum), in: scope.container)
        let asked = contents.map { stored[$0.checksum] ?? Self.noBlob }
        guard let used = try? await uses.used(among: asked, in: scope.container, by: scope) else { return [] }
        return zip(contents, asked).filter { used.contains($0.1) }.map(\.0)
    }
}
