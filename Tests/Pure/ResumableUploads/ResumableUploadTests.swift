import ResumableUploads
import Testing

/// The next request after each answer.
struct ResumableUploadTests {
    private static func upload(remembered: String? = nil) -> ResumableUpload {
        ResumableUpload(ticket: "t", size: 10, isPlain: false, remembered: remembered)
    }

    private static func step(_ upload: ResumableUpload) -> String {
        "\(upload.next.method) \(upload.next.url) \(upload.next.bodyOffset.map(String.init) ?? "-")"
    }

    @Test func goesOnWhereItEnded() {
        var upload = Self.upload()
        #expect(Self.step(upload) == "POST t -")
        let isOver1 = upload.take(status: 201, location: "u", offset: 0)
        #expect(!isOver1)
        #expect(Self.step(upload) == "PATCH u 0")
        upload.wasCutOff()
        #expect(Self.step(upload) == "HEAD u -")
        let isOver2 = upload.take(status: 204, location: nil, offset: 6)
        #expect(!isOver2)
        #expect(Self.step(upload) == "PATCH u 6")
        let isOver3 = upload.take(status: 409, location: nil, offset: 4)
        #expect(!isOver3)
        #expect(Self.step(upload) == "HEAD u -")
        let isOver4 = upload.take(status: 204, location: nil, offset: 4)
        #expect(!isOver4)
        let isOver5 = upload.take(status: 200, location: nil, offset: 10)
        #expect(isOver5)
    }

    @Test func beginsAgainWhatWasForgotten() {
        var upload = Self.upload(remembered: "old")
        #expect(Self.step(upload) == "HEAD old -")
        let isOver6 = upload.take(status: 404, location: nil, offset: nil)
        #expect(!isOver6)
        #expect(Self.step(upload) == "POST t -")
        #expect(upload.address == nil)
    }

    @Test func aServiceThatCannotResumeGetsAllInOneRequest() {
        var upload = Self.upload()
        let isOver7 = upload.take(status: 400, location: nil, offset: nil)
        #expect(!isOver7)
        #expect(Self.step(upload) == "POST t 0")
        let isOver8 = upload.take(status: 413, location: nil, offset: nil)
        #expect(isOver8)
    }

    @Test func surprisesEnd() {
        var upload = Self.upload()
        var requests = 0
        while requests < 100 {
            requests += 1
            let status = upload.next.method == "PATCH" ? 404 : upload.next.bodyOffset == nil ? 201 : 200
            if upload.take(status: status, location: "u", offset: nil) { break }
        }
        #expect(requests == 7)
    }

    @Test func laterIsAskedForWhereItStands() {
        var upload = Self.upload()
        _ = upload.take(status: 201, location: "u", offset: 0)
        let isOver9 = upload.take(status: 503, location: nil, offset: nil)
        #expect(isOver9)
        #expect(Self.step(upload) == "HEAD u -")
    }
}
