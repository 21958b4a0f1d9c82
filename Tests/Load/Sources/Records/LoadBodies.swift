import TestGenerators

/// Builds the bodies of a load's requests from prepared bytes. It uses no JSON tree and no encoder, because the load
/// shares the machine with the services that it measures. Nothing needs escaping, because all parts are plain ASCII.
struct LoadBodies: Sendable {
    /// The record type of every record.
    static let recordType = "Load"
    /// The minimum size of an operation in bytes: its fixed parts, and room for names and numbers.
    static let leastSizeBytes =
        [operationHead, operationMiddle, operationText, operationTail, operationEnd].reduce(64) { $0 + $1.utf8.count }
    /// The minimum size of an operation that also names a parent, in bytes.
    static let leastSharedSizeBytes = leastSizeBytes + operationParent.utf8.count + 48

    private static let operationHead = #"{"operationType":"forceReplace","record":{"recordName":""#
    private static let operationMiddle =
        #"","recordType":"\#(recordType)","fields":{"n":{"value":"#
    private static let operationTail = #"","type":"STRING"}}"#
    private static let operationParent = #","parent":{"recordName":""#
    private static let operationEnd = "}}"
    private static let operationText = #","type":"INT64"},"text":{"value":""#

    private let head = Array(Self.operationHead.utf8)
    private let middle = Array(Self.operationMiddle.utf8)
    private let text = Array(Self.operationText.utf8)
    private let tail = Array(Self.operationTail.utf8)
    private let end = Array(Self.operationEnd.utf8)
    private let parent = Array(Self.operationParent.utf8)
    private let zoneHead: [UInt8]
    private let zoneTail: [UInt8]
    private let namePrefix: [UInt8]
    private let filler: [UInt8]
    private let sizeBytes: Int
    private let names: LoadNames

    /// Creates the bodies for a slot, with operations of `sizeBytes` each.
    ///
    /// - Parameter owner: the record name of the zones' owner; nil to omit it.
    init(names: LoadNames, owner: String? = nil, slot: Int, sizeBytes: Int, seed: UInt64) {
        zoneHead = Array(#"{"zoneID":{"zoneName":"\#(names.zonePrefix)-"#.utf8)
        zoneTail = Array((owner.map { #"","ownerRecordName":"\#($0)"}"# } ?? #""}"#).utf8)
        namePrefix = Array("\(names.run).\(slot).".utf8)
        self.names = names
        self.sizeBytes = sizeBytes
        var random = SeededGenerator(seed: seed)
        let letters = Array("abcdefghijklmnopqrstuvwxyz      ".utf8)
        filler = (0..<(sizeBytes + 4096)).map { _ in letters[Int(random.next() & 31)] }
    }

    /// Returns the body of a `records/modify` in one zone. The body requests an answer without fields.
    ///
    /// - Parameter share: the number of the share whose root is the parent of the records; nil for records without a
    ///   parent.
    func modify(zone: Int, share: Int? = nil, _ writes: [RecordLedger.Write], fillerOffset: Int) -> [UInt8] {
        let tail = tail + (share.map { parent + Array(names.root($0).utf8) + Array(#""}"#.utf8) } ?? []) + end
        var body: [UInt8] = []
        body.reserveCapacity(zoneHead.count + 60 + writes.count * (sizeBytes + 2))
        body += zoneHead
        body.appendDecimal(zone)
        body += zoneTail
        body += #","desiredKeys":[],"operations":["#.utf8
        for (position, write) in writes.enumerated() {
            if position > 0 { body.append(UInt8(ascii: ",")) }
            let start = body.count
            body += head
            body += namePrefix
            body.appendDecimal(write.record)
            body += middle
            body.appendDecimal(Int(write.number))
            body += text
            let fill = max(0, sizeBytes - (body.count - start) - tail.count)
            let offset = (fillerOffset &+ position) & 4095
            body += filler[offset..<(offset + min(fill, filler.count - offset))]
            body += tail
        }
        body += "]}".utf8
        return body
    }

    /// Returns the body of a `records/lookup` in one zone.
    func lookup(zone: Int, records: [Int]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(zoneHead.count + 40 + records.count * 48)
        body += zoneHead
        body.appendDecimal(zone)
        body += zoneTail
        body += #","records":["#.utf8
        for (position, record) in records.enumerated() {
            body += (position > 0 ? #",{"recordName":""# : #"{"recordName":""#).utf8
            body += namePrefix
            body.appendDecimal(record)
            body += #""}"#.utf8
        }
        body += "]}".utf8
        return body
    }
}

extension [UInt8] {
    /// Appends a non-negative number in decimal digits.
    fileprivate mutating func appendDecimal(_ number: Int) {
        if number > 9 { appendDecimal(number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
