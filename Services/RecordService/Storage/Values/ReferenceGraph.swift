package import CloudKitModel

/// The references that are relevant to a batch: the references read from `record.reference`, updated with the links of
/// the records that the batch has written so far.
package struct ReferenceGraph: Sendable {
    /// A link, seen from its target.
    package struct Incoming: Sendable, Hashable {
        /// The record that contains the reference.
        package var source: RecordName
        /// The field and the effect.
        package var link: RecordLink

        /// Creates a link from `source`.
        package init(source: RecordName, link: RecordLink) {
            self.source = source
            self.link = link
        }
    }

    /// A record that is, or would be, the target of a reference.
    package struct Target: Sendable {
        /// Whether the record exists.
        package var isLive: Bool
        /// The number of `DELETE_SELF` references to the record, counted up to one above the limit; nil if they were
        /// not counted.
        package var owned: Int?
        /// The share that the record belonged to when it was read; nil if it belonged to none.
        package var share: ShareID?
        /// Whether the record is a share.
        package var isShare = false

        /// Creates a target from its parts.
        package init(isLive: Bool, owned: Int?, share: ShareID? = nil, isShare: Bool = false) {
            self.isLive = isLive
            self.owned = owned
            self.share = share
            self.isShare = isShare
        }
    }

    /// The references to each record as they were read. Records whose references were not read have no entry.
    private var stored: [RecordKey: [Incoming]] = [:]
    /// The targets that were read. Their counts are updated with the links written since then.
    private var targets: [RecordKey: Target] = [:]
    /// The links of the records that were written. They replace the stored references from these records.
    private var written: [RecordKey: Set<RecordLink>] = [:]
    /// For each target, the records that referred to it when they were written.
    private var writers: [RecordKey: Set<RecordName>] = [:]

    /// Creates an empty graph.
    package init() {}

    /// Adds the references to `target` as they were read.
    package mutating func read(_ incoming: [Incoming], to target: RecordKey) { stored[target] = incoming }

    /// Adds a target as it was read.
    package mutating func read(_ target: Target, at key: RecordKey) { targets[key] = target }

    /// Returns the target with the given key; nil if the target was not read. The count includes the links written
    /// since the target was read.
    package func target(_ key: RecordKey) -> Target? { targets[key] }

    /// Replaces the links of a written record; a deleted record has none.
    ///
    /// - Parameter before: the links of the record before this write.
    package mutating func write(_ links: Set<RecordLink>, of source: RecordKey, before: Set<RecordLink>) {
        written[source] = links
        for link in links {
            writers[RecordKey(zone: source.zone, name: link.target), default: []].insert(source.name)
        }
        for link in links.subtracting(before) { count(link, of: source, 1) }
        for link in before.subtracting(links) { count(link, of: source, -1) }
    }

    private mutating func count(_ link: RecordLink, of source: RecordKey, _ change: Int) {
        guard link.action == .deleteSelf else { return }
        targets[RecordKey(zone: source.zone, name: link.target)]?.owned? += change
    }

    /// Returns the current references to `target`; nil if they were not read.
    package func incoming(to target: RecordKey) -> [Incoming]? {
        guard var incoming = stored[target] else { return nil }
        guard !written.isEmpty else { return incoming }
        incoming.removeAll { written[RecordKey(zone: target.zone, name: $0.source)] != nil }
        for source in writers[target] ?? [] {
            for link in written[RecordKey(zone: target.zone, name: source)] ?? [] where link.target == target.name {
                incoming.append(Incoming(source: source, link: link))
            }
        }
        return incoming
    }
}
