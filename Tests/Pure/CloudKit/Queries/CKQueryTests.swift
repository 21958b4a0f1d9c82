import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct CKQueryTests {
    /// Returns the JSON of a request with the query.
    private func json(_ query: CKQuery) throws -> JSONValue {
        var writer = WireWriter()
        writer.queryRecords(QueryRecordsRequest(query: try QueryCoding.wire(of: query)))
        return try JSONValue(parsing: writer.bytes)
    }

    @Test func filters() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title BEGINSWITH %@ AND n > 5", "M"))
        #expect(
            try json(query) == [
                "query": [
                    "recordType": "Note",
                    "filterBy": [
                        [
                            "comparator": "BEGINS_WITH", "fieldName": "title",
                            "fieldValue": ["value": "M", "type": "STRING"],
                        ],
                        ["comparator": "GREATER_THAN", "fieldName": "n", "fieldValue": ["value": 5, "type": "INT64"]],
                    ],
                ]
            ])
        let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        #expect(try json(all) == ["query": ["recordType": "Note"]])
    }

    @Test func sorts() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [
            NSSortDescriptor(key: "creationDate", ascending: false), NSSortDescriptor(key: "title", ascending: true),
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 48.5, longitude: 2.25)),
        ]
        let sorts = try json(query)["query"]?["sortBy"]
        #expect(sorts?[0] == ["systemFieldName": "createdTimestamp", "ascending": false])
        #expect(sorts?[1] == ["fieldName": "title"])
        #expect(sorts?[2]?["fieldName"] == "place")
        #expect(sorts?[2]?["relativeLocation"]?["value"]?["latitude"]?.double == 48.5)
    }

    @Test func copiesAreIndependent() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let copy = try #require(query.copy() as? CKQuery)
        copy.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(query.sortDescriptors == nil)
        #expect(copy.recordType == "Note")
    }

    @Test func archives() throws {
        let reference = CKRecord.Reference(recordID: CKRecord.ID(recordName: "list"), action: .none)
        let query = CKQuery(
            recordType: "Note", predicate: NSPredicate(format: "list == %@ AND due > %@", reference, Date.distantPast))
        query.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 48.5, longitude: 2.25)),
        ]
        let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
        let decoded = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
        #expect(try json(decoded) == json(query))
        #expect(decoded.sortDescriptors?.last is CKLocationSortDescriptor)
    }

    @Test func cursorsContinueTheirQuery() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n > 5"))
        let cursor = CKQueryCursor(query: query, zoneID: CKRecordZone.ID(zoneName: "Notes"), marker: "m")
        let data = try NSKeyedArchiver.archivedData(withRootObject: cursor, requiringSecureCoding: true)
        let decoded = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryCursor.self, from: data))
        #expect(decoded == cursor)
        #expect(decoded.query.predicate.text == "n > 5")
        #expect(decoded.zoneID?.zoneName == "Notes")
    }
}
