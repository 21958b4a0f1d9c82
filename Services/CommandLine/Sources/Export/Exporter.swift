import CloudKitWire
import CommandLineSession
import NIOCore
internal import ServiceMessages

/// Writes the records of zones as lines for `zonda import`. The database can be in use during the export.
///
/// A zone is read through its change feed, page by page, so that memory use is low and nothing is locked. A record that
/// changes during the export appears again later in the feed, and a deleted record appears as a deletion. Only the last
/// line of a record counts, so the file represents the zone as it was when its last page was read.
struct Exporter: Sendable {
    /// The maximum time for which a request is retried.
    private static let requestLimit: Duration = .seconds(60)
    /// The number of records in a page.
    private static let pageCount = 1000

    private let requester: any Requester
    private let assets: ExportAssets?
    private let write: @Sendable (ByteBuffer) async throws(RequestFailure) -> Void
    private let progress: @Sendable (ExportReport, _ fraction: Double?) -> Void

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - assets: downloads the bytes of assets; nil to omit them.
    ///   - progress: called after every page, with the fraction of the zones exported so far; the fraction is nil for a
    ///     single zone.
    ///   - write: called with the lines of each page.
    init(
        requester: any Requester, assets: ExportAssets? = nil,
        progress: @escaping @Sendable (ExportReport, _ fraction: Double?) -> Void = { _, _ in },
        write: @escaping @Sendable (ByteBuffer) async throws(RequestFailure) -> Void
    ) {
        self.requester = requester
        self.assets = assets
        self.progress = progress
        self.write = write
    }

    /// Exports zones, one after the other.
    ///
    /// - Parameters:
    ///   - zones: the names of the zones; nil for all zones of the database, except those that are deleted before they
    ///     are read.
    ///   - owner: the user who owns the zones; nil for the owner of the database or, if `zones` is nil, for every user.
    ///   - isShared: whether the database is the shared one, whose zones have several owners.
    /// - Returns: the report, which includes the failed downloads.
    /// - Throws: the failure of a request or a zone, including the failure of a zone that is deleted while it is being
    ///   read, and any error that `write` throws.
    func run(
        _ zones: [String]?, of owner: String? = nil, isShared: Bool = false
    ) async throws(RequestFailure) -> ExportReport {
        let start = ContinuousClock.now
        var report = ExportReport()
        var places: [ZonePlace]
        if let zones {
            places = zones.map { ZonePlace($0, owner: owner) }
        } else {
            places = try await requester.zones(limit: Self.requestLimit)
            places = isShared ? places.filter { owner == nil || $0.owner == owner } : places.map { ZonePlace($0.name) }
        }
        for (index, place) in places.enumerated() {
            var feed = ZoneFeed(
                requester: requester, zone: place.name, owner: place.owner, limit: Self.requestLimit)
            feed.pageCount = Self.pageCount
            while true {
                let isFirst = feed.token == nil
                do throws(RequestFailure) {
                    guard let page = try await feed.nextPage() else { break }
                    if isFirst { report.zones += 1 }
                    try await write(page, of: place.name, isFirst: isFirst, &report)
                } catch {
                    if isFirst, zones == nil, error.code == "ZONE_NOT_FOUND" { break }
                    throw error
                }
                report.elapsed = ContinuousClock.now - start
                progress(report, places.count > 1 ? Double(index) / Double(places.count) : nil)
            }
        }
        report.elapsed = ContinuousClock.now - start
        return report
    }

    private func write(
        _ page: [JSONValue], of zone: String, isFirst: Bool, _ report: inout ExportReport
    ) async throws(RequestFailure) {
        let shares = page.filter(ExportedRecord.isShare)
        report.shares += shares.count { $0["deleted"]?.bool != true }
        let records = page.filter { !ExportedRecord.isShare($0) }.map { ExportedRecord($0, zone: zone) }
        // The assets are downloaded before the lines that refer to them are written.
        for result in await assets?.fetch(records.flatMap(\.assets)) ?? [] {
            switch result {
            case .success(let bytes):
                report.assets += 1
                report.assetBytes += bytes
            case .failure(let failure): report.note(failure)
            }
        }
        var lines: [UInt8] = []
        for line in (isFirst ? [ExportedRecord.line(ofZone: zone)] : []).compactMap(\.self) + records.map(\.line) {
            lines += line.encoded()
            lines.append(UInt8(ascii: "\n"))
        }
        report.deleted += records.count { $0.isDeleted }
        report.records += records.count { !$0.isDeleted }
        report.bytes += lines.count
        try await write(ByteBuffer(bytes: lines))
    }
}
