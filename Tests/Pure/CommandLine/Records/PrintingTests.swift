import ArgumentParser
import CloudKitWire
import OperatorMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct PrintingTests {
    private static var content: AssetStatus {
        AssetStatus(container: "c", checksum: "00ff", fileChecksum: "AP8=", blob: 7, size: 123_456)
    }

    @Test func theStoresStateIsPrintedLineByLineWithItsTimes() {
        var status = Self.content
        status.due = 1_768_500_000_000
        status.isStored = true
        #expect(
            AssetStat.describe(status) == """
                container     c
                checksum      00ff
                fileChecksum  AP8=
                blob          7
                size          123456
                due           2026-01-15T18:00:00Z
                isStored      true
                """)
    }

    @Test func jobsAreATable() {
        var status = Self.content
        status.due = 1_768_500_000_000
        status.condemnedAt = 1_768_400_000_000
        #expect(
            AssetJobs.table.lines([status]) == [
                "DUE                   CONDEMNED             BYTES    CHECKSUM",
                "2026-01-15T18:00:00Z  2026-01-14T14:13:20Z  123,456  00ff",
            ])
    }

    @Test func usageIsATableOfTheContainerAndItsDatabases() {
        let usage = AssetUsageRequest.Answer(
            container: "c", bytes: 5000, blobs: 2, condemnedBytes: 0, containerQuota: nil, userQuota: 9000,
            databases: [
                AssetHolder(environment: "production", database: "private", owner: "_1", bytes: 4000, blobs: 1)
            ], total: 1)
        #expect(
            AssetUsage.describe(usage) == """
                BYTES  QUOTA  BLOBS  USED BY
                5,000  none   2      c
                4,000  9,000  1      production/private/_1
                """)
    }

    @Test func aReconciliationIsPrintedNumberByNumberAndThenItsStrays() {
        let result = AssetReconcileRequest.Answer(
            endedAt: 1_768_500_000_000, files: 3, filesWithoutRow: 1, filesRemoved: 0, rowsChecked: 2,
            rowsWithoutFile: 0, condemnedInUse: 0, quarantined: 0, usesAreGuarded: true,
            strays: [.init(key: "k", firstSeen: 1_768_400_000_000, lastSeen: 1_768_500_000_000)])
        #expect(
            AssetReconcile.describe(result) == """
                endedAt          2026-01-15T18:00:00Z
                files            3
                filesWithoutRow  1
                filesRemoved     0
                rowsChecked      2
                rowsWithoutFile  0
                condemnedInUse   0
                quarantined      0
                usesAreGuarded   true
                stray  2026-01-14T14:13:20Z  k
                """)
    }

    @Test func aReferenceIsPrintedWithItsWholePlace() {
        #expect(
            AssetReferences.describe(
                AssetReference(
                    environment: "development", database: "private", owner: "_u", zone: "Z", recordName: "n",
                    fieldName: "f", position: 2)) == "development/private/_u/Z  n  f[2]")
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
                "profile            extended", "operations         2,000",
                "requests per user  40 per second, 80 at once",
            ])
    }

    @Test func aFailureOfTheClientHasACodeOfItsOwn() {
        let failure = RequestFailure.local(.assetFileModified, reason: "changed")
        #expect(failure.description == "ASSET_FILE_MODIFIED: changed")
        #expect(failure.json["serverErrorCode"] == "ASSET_FILE_MODIFIED")
    }
}
