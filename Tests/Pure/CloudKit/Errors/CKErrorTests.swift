import CloudKit
import Testing

@Suite struct CKErrorTests {
    @Test("The codes have Apple's numbers")
    func numbers() {
        #expect(CKError.Code.internalError.rawValue == 1)
        #expect(CKError.Code.notAuthenticated.rawValue == 9)
        #expect(CKError.Code.serverRecordChanged.rawValue == 14)
        #expect(CKError.Code.accountTemporarilyUnavailable.rawValue == 36)
        #expect(CKError.Code.participantAlreadyInvited.rawValue == 37)
        #expect((1...37).allSatisfy { CKError.Code(rawValue: $0) != nil })
        #expect(CKErrorDomain == "CKErrorDomain")
        #expect(CKPartialErrorsByItemIDKey == "CKPartialErrors")
        #expect(CKErrorRetryAfterKey == "CKRetryAfter")
        #expect(CKErrorUserDidResetEncryptedDataKey == "CKUserDidResetEncryptedData")
    }

    @Test("An error is caught by its code")
    func caught() {
        func fail() throws { throw CKError(.zoneBusy) }
        do {
            try fail()
            Issue.record("no error")
        } catch CKError.zoneBusy {
        } catch {
            Issue.record(error)
        }
        let error: any Error = CKError(.partialFailure)
        #expect((error as? CKError)?.code == .partialFailure)
        #expect((error as NSError).domain == CKErrorDomain)
        #expect((error as NSError).code == CKError.Code.partialFailure.rawValue)
    }

    @Test("Every error without details explains itself", arguments: 1...37)
    func described(_ number: Int) throws {
        let error: any Error = CKError(try #require(CKError.Code(rawValue: number)))
        #expect(error.localizedDescription.count > 20)
        #expect(!error.localizedDescription.contains("CKErrorDomain"))
        #expect((error as NSError).localizedDescription == error.localizedDescription)
    }

    @Test("A description that was given is kept")
    func descriptionKept() {
        #expect(CKError(.internalError, userInfo: [NSLocalizedDescriptionKey: "Hello"]).localizedDescription == "Hello")
    }

    @Test("Errors are compared and hashed by their codes and details")
    func equality() {
        #expect(CKError(.zoneBusy) == CKError(.zoneBusy))
        #expect(CKError(.zoneBusy) != CKError(.zoneNotFound))
        #expect(CKError(.zoneBusy, userInfo: ["a": 1]) != CKError(.zoneBusy, userInfo: ["a": 2]))
        #expect(Set([CKError(.zoneBusy), CKError(.zoneBusy), CKError(.internalError)]).count == 2)
    }

    @Test("The accessors read the user info")
    func accessors() {
        let partial = CKError(
            .partialFailure,
            userInfo: [CKPartialErrorsByItemIDKey: ["a": CKError(.zoneBusy)] as [AnyHashable: any Error]])
        #expect((partial.partialErrorsByItemID?["a"] as? CKError)?.code == .zoneBusy)
        #expect(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 2.5]).retryAfterSeconds == 2.5)
        #expect(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: NSNumber(value: 3)]).retryAfterSeconds == 3)
        #expect(CKError(.zoneBusy).retryAfterSeconds == nil)
        #expect(CKError(.zoneBusy).partialErrorsByItemID == nil)
    }

    @Test("A number that CloudKit does not define is an internal error")
    func unknownNumber() {
        let error = CKError(_nsError: NSError(domain: CKErrorDomain, code: 4711))
        #expect(error.code == .internalError)
        #expect(error.errorCode == 4711)
    }
}
