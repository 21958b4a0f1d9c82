internal import CloudKitModel
internal import Foundation
internal import Logging
internal import RequestServing
internal import SubscriptionStorage

/// Determines which share participants are notified of changes. Audiences that are not in the cache must be requested
/// from the record service, which can take a long time; a zone whose audiences are unknown is therefore delivered
/// separately from the others.
struct AudienceCheck: Sendable {
    /// The number of users above which a change is delivered separately from the changes to other zones.
    static let maxSharedUsers = 500

    let client: AudienceClient
    let cache: AudienceCache
    let logger: Logger

    /// Returns the reach of each change, in the order of `changes`: nil for a change that touches no shares, and
    /// `.some(nil)` for a change whose audiences are unknown.
    ///
    /// - Parameter asking: whether to ask the record service for unknown audiences. If true, no reach is unknown.
    /// - Throws: ``RightsCheck/Postponed`` if the request for the audiences fails, or `ServiceStopping`.
    func reaches(of changes: [ZoneChange], asking: Bool) async throws -> [SharedReach??] {
        let keys = changes.map(\.audienceKeys)
        var known: [AudienceCache.Key: Audience] = [:]
        var missing: [UUID: (keys: Set<AudienceCache.Key>, from: Int64)] = [:]
        for (change, keys) in zip(changes, keys) {
            for key in keys {
                if let audience = cache.audience(key, from: change.fromSeq) {
                    known[key] = audience
                } else {
                    var entry = missing[change.incarnation] ?? ([], change.fromSeq)
                    entry.keys.insert(key)
                    entry.from = min(entry.from, change.fromSeq)
                    missing[change.incarnation] = entry
                }
            }
        }
        for (incarnation, entry) in missing {
            for key in entry.keys { known[key] = nil }
            if asking { known.merge(try await ask(entry.keys, in: incarnation, from: entry.from)) { $1 } }
        }
        return zip(changes, keys).map { change, keys in
            guard !keys.isEmpty else { return nil }
            var audiences: [Int64?: Audience] = [:]
            for key in keys {
                guard let audience = known[key] else { return .some(nil) }
                audiences[key.share] = audience
            }
            return SharedReach(of: change, audiences)
        }
    }

    private func ask(
        _ keys: Set<AudienceCache.Key>, in incarnation: UUID, from seq: Int64
    ) async throws -> [AudienceCache.Key: Audience] {
        var found: [AudienceCache.Key: Audience] = [:]
        do {
            let shares = Set(keys.compactMap(\.share)).sorted()
            let audiences = try await client.audiences(of: shares, in: incarnation, from: seq)
            for key in keys {
                if let share = key.share {
                    found[key] = audiences[share] ?? Audience(fromSeq: seq)
                } else {
                    found[key] = try await client.everyone(in: incarnation, from: seq)
                }
            }
        } catch let error as ServerError {
            logger.warning(
                "the participants of a share cannot be read; its notifications wait",
                metadata: ["error": "\(error.logDescription)"])
            throw RightsCheck.Postponed()
        }
        for (key, audience) in found { cache.add(audience, for: key) }
        return found
    }
}
