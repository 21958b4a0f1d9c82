import Foundation
import ServiceRuntime
import Testing

@testable import AssetService
@testable import BlobStorage

/// URLs, times and XML documents of S3.
struct S3WireTests {
    static func configuration(
        endpoint: String? = nil, isPathStyle: Bool = false, prefix: String = ""
    ) -> S3Configuration {
        S3Configuration(
            bucket: "blobs", region: "eu-west-3", endpoint: endpoint, isPathStyle: isPathStyle, prefix: prefix,
            accessKey: "id", secretKey: Secret("hush"), partBytes: 8 << 20)
    }

    @Test(arguments: [
        (nil, false, "https://blobs.s3.eu-west-3.amazonaws.com/a%252Fb/c?x=1"),
        (nil, true, "https://s3.eu-west-3.amazonaws.com/blobs/a%252Fb/c?x=1"),
        ("http://127.0.0.1:9000", true, "http://127.0.0.1:9000/blobs/a%252Fb/c?x=1"),
        ("https://minio.example.org:9000", false, "https://blobs.minio.example.org:9000/a%252Fb/c?x=1"),
    ])
    func objectsHaveAddressesOfBothStyles(endpoint: String?, isPathStyle: Bool, url: String) {
        let address = S3Address(Self.configuration(endpoint: endpoint, isPathStyle: isPathStyle))
        #expect(address.url(address.path(of: "a%2Fb/c"), query: [("x", "1")]) == url)
    }

    @Test func theBucketHasAnAddress() {
        let hosted = S3Address(Self.configuration())
        #expect(hosted.url(hosted.path(of: nil), query: []) == "https://blobs.s3.eu-west-3.amazonaws.com/")
        let inPath = S3Address(Self.configuration(endpoint: "http://h:1", isPathStyle: true))
        #expect(inPath.url(inPath.path(of: nil), query: []) == "http://h:1/blobs")
    }

    @Test func timesAreReadInBothForms() {
        let may = Date(timeIntervalSince1970: 1_369_353_601)
        #expect(S3Time.header("Fri, 24 May 2013 00:00:01 GMT") == may)
        #expect(S3Time.listed("2013-05-24T00:00:01.000Z") == may)
        #expect(S3Time.listed("2013-05-24T00:00:01Z") == may)
        #expect(S3Time.Stamp(may).text == "20130524T000001Z")
        for text in ["", "Z", "yesterday", "2013-05-24", "2013-05-24T00:00:01+02:00", "2013-13-24T00:00:01Z"] {
            #expect(S3Time.listed(text) == nil, "\(text)")
        }
        for text in ["", "24 May 2013", "Fri, 24 Mai 2013 00:00:01 GMT", "Fri, 24 May 2013 00:00:01 CET"] {
            #expect(S3Time.header(text) == nil, "\(text)")
        }
    }

    @Test func partsHaveRoomForTheLargestAsset() {
        var configuration = Self.configuration()
        configuration.makeRoom(for: 250 << 20)
        #expect(configuration.partBytes == 8 << 20)
        configuration.makeRoom(for: 1 << 40)
        #expect(Int64(configuration.partBytes) * 10_000 >= 1 << 40)
    }

    @Test func documentsAreRead() throws {
        let document = try #require(
            S3Document(
                parsing: Array(
                    """
                    \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
                    <!-- a > b --><x:List xmlns:x="http://s3.amazonaws.com/doc/" other='a">b'>
                      <Key>a&amp;b&lt;c&gt;&quot;&apos;&#228;&#x41;</Key><Empty/><Key >second</Key >
                      <Owner><ID>1</ID></Owner>
                    </x:List>

                    """.utf8)))
        #expect(document.name == "List")
        #expect(document["Key"] == "a&b<c>\"'äA")
        #expect(document.all("Key").map(\.text) == ["a&b<c>\"'äA", "second"])
        #expect(document["Empty"] == "")
        #expect(document.children.last?["ID"] == "1")
        #expect(document["Nothing"] == nil)
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "<a><b></a></b>", "<a x></a>", "<a x=1/>",
        "<a x=\"></a>", "<a>&lol;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&amp</a>", "<a>&#99999999999;</a>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><![CDATA[b]]></a>", "<a><!-- </a>", "<?xml <a/>", "<a",
        "< a/>", "<a>\u{FFFD}</a", String(repeating: "<a>", count: 20) + String(repeating: "</a>", count: 20),
    ])
    func whatIsNoDocumentIsRefused(text: String) {
        #expect(S3Document(parsing: Array(text.utf8)) == nil)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(S3Document(parsing: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) == nil)
    }
}
