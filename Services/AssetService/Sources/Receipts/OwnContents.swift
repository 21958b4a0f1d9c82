internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// Content that a user already has in a database, and therefore need not send again: a record of their private database
/// uses it, or they show a receipt for it.
///
/// A checksum alone is no proof: whoever knows it may have it from somebody else. So what others have looks exactly as
/// what is not there, in the answer and in the steps that lead to it. Uses in the public database prove nothing, for
/// they may be anybody's; there only a receipt does.
struct OwnContents: Sendable {
    /// What a user says to have.
    struct Claim: Sendable {
        let content: AssetUploadTicket.Content
        let receipt: String?
    }

    /// The id that no blob has.
    private static let nothing = BlobID(rawValue: 0)

    /// Those of receipts.
    let keys: SigningKeys
    let table: BlobTable
    let receipts: AssetReceipts
    let uses: BlobUses

    /// The assets of those claims that hold, with new receipts. A record service that does not answer costs a transfer,
    /// no more.
    ///
    /// - Throws: `PostgresError`, ``BlobStoreError``.
    func assets(
        for claims: [Claim], in scope: AssetScope
    ) async throws -> [AssetUploadTicket.Content: UploadedAsset] {
        guard !claims.isEmpty else { return [:] }
        var proven = Set(claims.filter { isReceipted($0, in: scope) }.map(\.content))
        let others = Set(claims.map(\.content)).subtracting(proven)
        if scope.scope == DatabaseScope.private.wireName, !others.isEmpty {
            proven.formUnion(try await used(others, in: scope))
        }
        let assets = try await receipts.receipts(for: Set(proven.map(\.checksum)), in: scope)
        return assets.reduce(into: [:]) { found, asset in
            let content = AssetUploadTicket.Content(checksum: asset.key, size: asset.value.content.size)
            if proven.contains(content) { found[content] = asset.value }
        }
    }

    private func isReceipted(_ claim: Claim, in scope: AssetScope) -> Bool {
        guard let text = claim.receipt, let receipt = AssetReceipt(opening: text, with: keys) else { return false }
        return receipt.scope == scope && receipt.expiresAt > SystemClock.milliseconds()
            && receipt.checksum == claim.content.checksum && receipt.size == claim.content.size
    }

    /// Those that records of the scope use. The question is asked in any case, about as many blobs.
    private func used(
        _ contents: Set<AssetUploadTicket.Content>, in scope: AssetScope
    ) async throws -> [AssetUploadTicket.Content] {
        let contents = Array(contents)
        let stored = try await table.ids(of: contents.map(\.checksum), in: scope.container)
        let asked = contents.map { stored[$0.checksum] ?? Self.nothing }
        guard let used = try? await uses.used(among: asked, in: scope.container, by: scope) else { return [] }
        return zip(contents, asked).filter { used.contains($0.1) }.map(\.0)
    }
}
