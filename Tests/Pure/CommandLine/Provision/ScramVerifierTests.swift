import Foundation
import Testing

@testable import CommandLine
@testable import CommandLineSession

struct ScramVerifierTests {
    /// The example of RFC 7677. These keys yield its client proof and its server signature.
    @Test func itIsThatOfTheStandard() throws {
        let salt = try #require(Data(base64Encoded: "W22ZaJ0SNY7soEsUEjb6gQ=="))
        #expect(
            ScramVerifier.verifier(of: "pencil", salt: Array(salt))
                == "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
                + ":wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=")
    }

    @Test func itIsSaltedAnewEachTime() throws {
        let (one, another) = (try ScramVerifier.verifier(of: "pencil"), try ScramVerifier.verifier(of: "pencil"))
        #expect(one != another)
    }

    @Test func aPasswordBeyondASCIIIsRefused() {
        #expect(throws: ProvisionError.self) { try ScramVerifier.verifier(of: "Bleistift\u{B5}") }
    }
}
