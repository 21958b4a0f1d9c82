import CloudKitModel
import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct ServerFaultTests {
    @Test("Every reason code of the services has Apple's code", arguments: ReasonCode.allCases)
    func reasonCodes(_ reason: ReasonCode) throws {
        let entry = reason.entry
        let json: JSONValue = [
            "serverErrorCode": .string(entry.code.rawValue), "ckErrorCode": .int(Int64(entry.ckErrorCode.rawValue)),
            "reasonCode": .string(reason.rawValue), "reason": "Because", "hint": .string(entry.hint(isForWeb: true)),
        ]
        let error = try #require(ServerFault(json)).error()
        #expect(error.errorCode == entry.ckErrorCode.rawValue)
        #expect(error.userInfo[ZondaErrorKey.reasonCode] as? String == reason.rawValue)
        #expect(error.localizedDescription == "Because. \(entry.hint(isForWeb: true))")
    }

    @Test("Without Apple's code, the code of CloudKit Web Services decides", arguments: ServerErrorCode.allCases)
    func webCodes(_ code: ServerErrorCode) throws {
        let fault = try #require(ServerFault(["serverErrorCode": .string(code.rawValue), "reason": "Because"]))
        #expect(fault.code.rawValue == code.ckErrorCode.rawValue)
    }

    @Test("An unknown code is an internal error that keeps the server's words")
    func unknownCode() throws {
        let fault = try #require(
            ServerFault(["serverErrorCode": "TEAPOT", "ckErrorCode": 4711, "reason": "I am a teapot", "uuid": "U1"]))
        let error = fault.error()
        #expect(error.code == .internalError)
        #expect(error.localizedDescription == "I am a teapot")
        #expect(error.userInfo[ZondaErrorKey.serverErrorCode] as? String == "TEAPOT")
        #expect(error.userInfo[ZondaErrorKey.requestID] as? String == "U1")
    }

    @Test("The details are in the user info")
    func details() throws {
        let fault = try #require(
            ServerFault([
                "serverErrorCode": "BAD_REQUEST", "ckErrorCode": 27, "reason": "Too long", "limit": 200, "actual": 400,
                "field": "title", "recordType": "Note", "retryAfter": 7, "recordName": "n",
                "redirectURL": "https://example.org/signin",
            ]))
        let error = fault.error(status: 400, adding: ["more": "x"])
        #expect(error.code == .limitExceeded)
        #expect(error.retryAfterSeconds == 7)
        #expect(error.userInfo[ZondaErrorKey.limit] as? NSNumber == 200)
        #expect(error.userInfo[ZondaErrorKey.actual] as? NSNumber == 400)
        #expect(error.userInfo[ZondaErrorKey.field] as? String == "title")
        #expect(error.userInfo[ZondaErrorKey.recordType] as? String == "Note")
        #expect(error.userInfo[ZondaErrorKey.httpStatus] as? NSNumber == 400)
        #expect(error.userInfo[ZondaErrorKey.signInURL] as? String == "https://example.org/signin")
        #expect(error.userInfo["more"] as? String == "x")
        #expect(fault.recordName == "n")
    }

    @Test("A zone whose keys were reset says so")
    func keysReset() throws {
        let fault = try #require(
            ServerFault([
                "serverErrorCode": "ZONE_NOT_FOUND", "ckErrorCode": 26, "reasonCode": "zone_encrypted_data_reset",
            ]))
        #expect(fault.error().code == .zoneNotFound)
        #expect(fault.error().userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
    }

    @Test(
        "An answer that no gateway sends has the code of its status",
        arguments: [
            (503, CKError.Code.serviceUnavailable), (502, .serviceUnavailable), (429, .requestRateLimited),
            (413, .limitExceeded), (401, .notAuthenticated), (302, .internalError), (404, .internalError),
        ])
    func proxies(_ status: Int, _ code: CKError.Code) {
        let error = CKError.answer(
            status: status, body: Array("<html>Sorry</html>".utf8), retryAfter: "5", requestID: nil)
        #expect(error.code == code)
        #expect(error.retryAfterSeconds == 5)
        #expect(error.localizedDescription.contains("\(status)"))
    }
}
