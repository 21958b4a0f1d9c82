import Foundation
import Testing

@testable import ServiceRuntime

/// The results of a container's health check.
struct HealthProbeTests {
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("127.0.0.1", "0.0.0.0"), ("::1", "::1"),
            ("::1", "::"),
        ])
    func aServiceThatIsReadyIsFoundWhereverItListens(address: String, host: String) throws {
        let listener = try Listener(address)
        listener.answer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nready\n")
        #expect(HealthProbe.reasonNotReady(host: host, port: listener.port) == nil)
    }

    @Test func theReasonsOfAServiceThatIsNotReadyAreReported() throws {
        let listener = try Listener("127.0.0.1")
        listener.answer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 12\r\n\r\nno database\n")
        #expect(HealthProbe.reasonNotReady(host: "127.0.0.1", port: listener.port) == "no database\n")
    }

    @Test func oneThatHangsUpIsNotReady() throws {
        let listener = try Listener("127.0.0.1")
        listener.answer("")
        #expect(HealthProbe.reasonNotReady(host: "127.0.0.1", port: listener.port) == "no answer")
    }

    @Test(arguments: ["127.0.0.1", "::", "no.such.host.invalid"])
    func aMissingListenerIsReported(host: String) throws {
        let port = try Listener("127.0.0.1").port
        #expect(
            HealthProbe.reasonNotReady(host: host, port: port) == "nothing is listening on \(host), port \(port)")
    }
}

/// A server on a free port.
private final class Listener: Sendable {
    let port: Int
    private let descriptor: Int32

    init(_ address: String) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        try #require(getaddrinfo(address, "0", &hints, &found) == 0)
        defer { freeaddrinfo(found) }
        let place = try #require(found).pointee
        descriptor = socket(place.ai_family, place.ai_socktype, 0)
        try #require(bind(descriptor, place.ai_addr, place.ai_addrlen) == 0)
        try #require(listen(descriptor, 1) == 0)
        var length = place.ai_addrlen
        try #require(getsockname(descriptor, place.ai_addr, &length) == 0)
        // The port is at the same offset in addresses of both families.
        port = place.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            Int(in_port_t(bigEndian: $0.pointee.sin_port))
        }
    }

    deinit { close(descriptor) }

    /// Reads one request, answers it with `text` and disconnects.
    func answer(_ text: String) {
        Thread.detachNewThread { [self] in
            let connection = accept(descriptor, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
    }
}
