import CloudKitModel
import CloudKitQuery
import Foundation
import Testing

@testable import CloudKit

/// Every argument that code for CloudKit passes to `NSPredicate(format:)` reaches the query.
@Suite struct PredicateArgumentTests {
    private func value(_ predicate: NSPredicate) throws -> FieldValue? {
        guard case .comparison(let comparison) = try QueryPredicate.predicate(of: predicate),
            case .relation(_, let value, _) = comparison.test
        else { return nil }
        return value
    }

    @Test func numbers() throws {
        #expect(try value(NSPredicate(format: "n == %d", 5)) == .int64(5))
        #expect(try value(NSPredicate(format: "n == %ld", 5)) == .int64(5))
        #expect(try value(NSPredicate(format: "n == %@", 5)) == .int64(5))
        #expect(try value(NSPredicate(format: "n == %@", NSNumber(value: 5))) == .int64(5))
        #expect(try value(NSPredicate(format: "n == %@", NSNumber(value: true))) == .int64(1))
        #expect(try value(NSPredicate(format: "n == %@", 5 as NSNumber)) == .int64(5))
        #expect(try value(NSPredicate(format: "n == %f", 2.5)) == .double(2.5))
        #expect(try value(NSPredicate(format: "n == %@", NSNumber(value: 2.5))) == .double(2.5))
        #expect(try value(NSPredicate(format: "n == %@", argumentArray: [UInt64.max])) == .double(0x1p64))
        #expect(try value(NSPredicate(format: "n == %@", argumentArray: [true])) == .int64(1))
        #expect(try value(NSPredicate(format: "n == %d", argumentArray: [Int32(7)])) == .int64(7))
    }

    @Test func texts() throws {
        #expect(try value(NSPredicate(format: "t == %@", "milk")) == .string("milk"))
        #expect(try value(NSPredicate(format: "t == %@", "milk" as NSString)) == .string("milk"))
        #expect(try value(NSPredicate(format: "t == %@", "milk" as any CVarArg)) == .string("milk"))
        #expect(NSPredicate(format: "%K == %@", "title", "milk").text == "title == \"milk\"")
        #expect(NSPredicate(format: "t == '%@'").text == "t == \"%@\"")
    }

    @Test func dates() throws {
        let date = Date(timeIntervalSince1970: 1_768_500_000.25)
        let expected = FieldValue.timestamp(1_768_500_000_250)
        #expect(try value(NSPredicate(format: "d > %@", date as NSDate)) == expected)
        #expect(try value(NSPredicate(format: "d > %@", date as any CVarArg)) == expected)
        #expect(try value(NSPredicate(format: "d > %@", date)) == expected)
        #expect(try value(NSPredicate(format: "d > %@", argumentArray: [date])) == expected)
        #expect(NSPredicate(format: "d > %@", date as NSDate).text == "d > CAST(790192800.250000, \"NSDate\")")
    }

    @Test func lists() throws {
        func list(_ predicate: NSPredicate) throws -> [FieldValue]? {
            guard case .comparison(let comparison) = try QueryPredicate.predicate(of: predicate),
                case .oneOf(let values, _) = comparison.test
            else { return nil }
            return values
        }
        let strings: [FieldValue] = [FieldValue.string("a"), .string("b")]
        #expect(try list(NSPredicate(format: "t IN %@", ["a", "b"])) == strings)
        #expect(try list(NSPredicate(format: "t IN %@", ["a", "b"] as NSArray)) == strings)
        #expect(try list(NSPredicate(format: "t IN %@", ["a", "b"] as any CVarArg)) == strings)
        #expect(try list(NSPredicate(format: "t IN %@", argumentArray: [["a", "b"]])) == strings)
        #expect(try list(NSPredicate(format: "t IN %@", NSSet(array: ["a"]))) == [.string("a")])
        #expect(try list(NSPredicate(format: "t IN %@", Set(["a"]))) == [.string("a")])
        #expect(try list(NSPredicate(format: "t IN {%@, %@}", "a", "b")) == strings)
        #expect(try list(NSPredicate(format: "n IN %@", [1, 2])) == [.int64(1), .int64(2)])
        #expect(NSPredicate(format: "t IN %@", ["a", "b"]).text == "t IN {\"a\", \"b\"}")
    }

    @Test func references() throws {
        let id = CKRecord.ID(recordName: "list", zoneID: CKRecordZone.ID(zoneName: "Notes"))
        let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
        let expected = FieldValue.reference(
            CloudKitModel.Reference(
                recordName: RecordName(unchecked: "list"), zoneID: ZoneID(zoneName: ZoneName(unchecked: "Notes"))))
        #expect(try value(NSPredicate(format: "list == %@", reference)) == expected)
        #expect(try value(NSPredicate(format: "recordID == %@", id)) == expected)
        #expect(try value(NSPredicate(format: "list == %@", CKRecord(recordType: "List", recordID: id))) == expected)
        #expect(try value(NSPredicate(format: "recordID = %@", argumentArray: [id])) == expected)
    }

    @Test func locations() throws {
        let place = CLLocation(latitude: 48.85, longitude: 2.35)
        for format in [
            "distanceToLocation:fromLocation:(place, %@) < 500", "distanceToLocation:fromLocation:(%@, place) < 500",
        ] {
            let predicate = try QueryPredicate.predicate(of: NSPredicate(format: format, place))
            #expect(
                predicate
                    == .comparison(
                        Comparison(
                            .field("place"), .value,
                            .distance(.less, Location(latitude: 48.85, longitude: 2.35), metres: 500))))
        }
        let radius = NSPredicate(format: "distanceToLocation:fromLocation:(%K, %@) < %f", "place", place, Float(500))
        #expect(try QueryPredicate.predicate(of: radius).format.hasSuffix("< 500.0"))
    }

    @Test func absence() throws {
        let missing = try QueryPredicate.predicate(of: NSPredicate(format: "t == nil"))
        #expect(try QueryPredicate.predicate(of: NSPredicate(format: "t == %@", NSNull())) == missing)
        #expect(
            try QueryPredicate.predicate(of: NSPredicate(format: "t == %@", argumentArray: [String?.none as Any]))
                == missing)
    }

    /// As in C, superfluous arguments are ignored.
    @Test func superfluousArguments() {
        #expect(NSPredicate(format: "n == %d", 5, 6).text == "n == 5")
    }

    /// Objects can be passed to all functions with a variable number of arguments, as on Apple's systems.
    @Test func argumentsOfFormattedStrings() {
        #expect(String(format: "%@ %@ %d", NSNumber(value: 5), ["a"], 7) == "5 [\"a\"] 7")
        let id = UUID()
        #expect(String(format: "%@", id as any CVarArg) == id.uuidString)
    }
}
