import ArgumentParser
import CloudKitWire
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct PrintingTests {
    @Test func theStoresStateIsPrintedLineByLineWithItsTimes() {
        #expect(
            AssetStat.describe(["checksum": "00ff", "size": 5, "isStored": true, "due": 1_768_500_000_000])
                == "checksum  00ff\nsize      5\nisStored  true\ndue       2026-01-15T18:00:00Z")
    }

    @Test func jobsAreATable() {
        #expect(
            AssetJobs.table.lines([
                ["due": 1_768_500_000_000, "condemnedAt": 1_768_400_000_000, "size": 123_456, "checksum": "ab"]
            ]) == [
                "DUE                   CONDEMNED             BYTES    CHECKSUM",
                "2026-01-15T18:00:00Z  2026-01-14T14:13:20Z  123,456  ab",
            ])
    }

    @Test func aReferenceIsPrintedWithItsWholePlace() {
        #expect(
            AssetReferences.describe([
                "environment": "development", "database": "private", "owner": "_u", "zone": "Z", "recordName": "n",
                "fieldName": "f", "position": 2,
            ]) == "development/private/_u/Z  n  f[2]")
    }

    @Test func aMissedPageIsPrintedWithItsRecords() {
        #expect(
            WatchCommand.describe([
                "zone": "Z", "records": [["recordName": "a"], ["recordName": "b", "deleted": true]],
            ]) == "caught up  Z  a, b deleted")
    }

    @Test func limitsAreATableAndSoAreRatesWhereTheyExist() {
        #expect(
            LimitsCommand.table([
                "profile": "extended", "limits": ["operations": 2000],
                "throttle": ["user": ["rate": 40, "burst": 80]],
            ]) == [
                "profile             extended", "operations          2,000",
                "requests of a user  40 a second, 80 at once",
            ])
    }

    @Test func aFailureOfTheClientHasACodeOfItsOwn() {
        let failure = RequestFailure.local(.assetFileModified, reason: "changed")
        #expect(failure.description == "ASSET_FILE_MODIFIED: changed")
        #expect(failure.json["serverErrorCode"] == "ASSET_FILE_MODIFIED")
    }
}
