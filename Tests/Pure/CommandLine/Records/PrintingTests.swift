import ArgumentParser
import CloudKitWire
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct PrintingTests {
    @Test("What the store knows is told line by line, moments as such")
    func stat() {
        #expect(
            AssetStat.describe(["checksum": "00ff", "size": 5, "isStored": true, "due": 1_768_500_000_000])
                == "checksum  00ff\nsize      5\nisStored  true\ndue       2026-01-15T18:00:00Z")
    }

    @Test("Jobs are a table")
    func jobs() {
        #expect(
            AssetJobs.table([
                ["due": 1_768_500_000_000, "condemnedAt": 1_768_400_000_000, "size": 123_456, "checksum": "ab"]
            ]) == [
                "DUE                   CONDEMNED             BYTES    CHECKSUM",
                "2026-01-15T18:00:00Z  2026-01-14T14:13:20Z  123,456  ab",
            ])
    }

    @Test("A reference is told with its whole place")
    func reference() {
        #expect(
            AssetReferences.describe([
                "environment": "development", "database": "private", "owner": "_u", "zone": "Z", "recordName": "n",
                "fieldName": "f", "position": 2,
            ]) == "development/private/_u/Z  n  f[2]")
    }

    @Test("A page that was missed is told with its records")
    func caughtUp() {
        #expect(
            WatchCommand.describe([
                "zone": "Z", "records": [["recordName": "a"], ["recordName": "b", "deleted": true]],
            ]) == "caught up  Z  a, b deleted")
    }

    @Test("Limits are a table, and so are rates where there are some")
    func limits() {
        #expect(
            LimitsCommand.table([
                "profile": "extended", "limits": ["operations": 2000],
                "throttle": ["user": ["rate": 40, "burst": 80]],
            ]) == [
                "profile             extended", "operations          2,000",
                "requests of a user  40 a second, 80 at once",
            ])
    }

    @Test("A failure on this side has a code of its own")
    func localFailures() {
        let failure = RequestFailure.local(.assetFileModified, reason: "changed")
        #expect(failure.description == "ASSET_FILE_MODIFIED: changed")
        #expect(failure.json["serverErrorCode"] == "ASSET_FILE_MODIFIED")
    }
}
