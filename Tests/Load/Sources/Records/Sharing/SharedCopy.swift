import CloudKitWire
import CommandLineSession
import ServiceMessages

/// A participant's copy of the shared records. It is kept up to date with tokens, as an application does it: each round
/// continues where the previous one ended.
struct SharedCopy: Sendable {
    private static let pageCount = 1000

    /// The participant, whose requests read the feeds.
    private let participant: LoadUsers.Participant
    private let names: LoadNames
    private let owner: String?
    private let limit: Duration
    /// The token of each zone; nil before the first page.
    private var tokens: [String?]
    private var numbers: [LoadNames.Record: UInt32] = [:]

    /// Creates an empty copy of the shared records in the first `zones` zones.
    init(
        of participant: LoadUsers.Participant, owner: String?, names: LoadNames, zones: Int, limit: Duration
    ) {
        self.participant = participant
        self.owner = owner
        self.names = names
        self.limit = limit
        tokens = Array(repeating: nil, count: zones)
    }

    /// Reads the changes of all zones since the previous call. Takes a round trip for every page.
    ///
    /// - Throws: the failure of a request. The pages that were read before are kept.
    mutating func catchUp() async throws(RequestFailure) {
        for zone in tokens.indices {
            var feed = ZoneFeed(
                requester: participant.shared, zone: names.zone(zone), owner: owner, since: tokens[zone], limit: limit)
            feed.desiredKeys = ["n"]
            feed.pageCount = Self.pageCount
            while let page = try await feed.nextPage() {
                tokens[zone] = feed.token
                for item in page {
                    guard let name = item["recordName"]?.string, let record = names.record(named: name) else {
                        continue
                    }
                    numbers[record] = ZoneVerifier.number(of: item)
                }
            }
        }
    }

    /// Compares the copy with the valid states of the records that the participant sees.
    ///
    /// - Returns: the number of records that are missing in the copy or have a wrong number (`lost`), and of records
    ///   that the participant must not see (`foreign`).
    func findings(_ visible: [LoadNames.Record: RecordLedger.Expectation]) -> ZoneAudit.Findings {
        ZoneAudit.Findings(
            lost: visible.count { $0.value.verdict(found: numbers[$0.key]) != .good },
            foreign: numbers.keys.count { visible[$0] == nil })
    }
}
