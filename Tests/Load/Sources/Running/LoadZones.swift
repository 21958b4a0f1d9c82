internal import CloudKitWire
import CommandLineSession
internal import ServiceMessages

/// Creates the zones of a load.
struct LoadZones: Sendable {
    private static let zonesPerRequest = 50
    private static let limit: Duration = .seconds(60)

    /// Sends the requests.
    let requester: any Requester
    /// The zones' names.
    let names: LoadNames
    /// The number of zones.
    let count: Int

    /// Creates the zones that do not exist.
    ///
    /// - Parameter progress: called with a line before each request.
    /// - Throws: the failure of a request or of a zone.
    func make(_ progress: (String) -> Void) async throws(RequestFailure) {
        for first in stride(from: 0, to: count, by: Self.zonesPerRequest) {
            progress("creating zones: \(first) of \(count)")
            let zones = first..<min(first + Self.zonesPerRequest, count)
            let answer = try await requester.ask(
                .zonesModify, ZoneRequests.modify(.create, zones.map { names.zone($0) }), limit: Self.limit)
            for zone in answer["zones"]?.array ?? [] {
                if let refusal = RequestFailure.Refusal(zone) { throw .refused(refusal) }
            }
        }
    }
}
