import Testing

@testable import AMQPClient

@Suite struct DirectReplyAddressTests {
    private static let key = "a2tra2tra2tra2tra2traw=="

    @Test(arguments: [
        // Node names as written by RabbitMQ 3.10 and 4, and in the short form that Erlang uses since version 26.
        "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==", "g1h3C3JlcGx5QDEyMzQ1AAAAZAAAAABjeutA",
    ])
    func whatTheBrokerMakesIsRead(process: String) throws {
        let address = try #require(DirectReplyAddress("amq.rabbitmq.reply-to.\(process).\(Self.key)"))
        #expect(address.node == DirectReplyAddress.Node(number: 12345, creation: 0x637A_EB40))
        #expect(address.channel == process)
    }

    @Test(arguments: [
        "a.b", "", ".", "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==", "amq.rabbitmq.reply-to",
        // A key of 15 bytes, a third word, a line break, a character that is invalid in base64, and bits that no
        // encoder sets.
        "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.a2tra2tra2tra2tra2tr",
        "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.\(key).x", "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==\n.\(key)",
        "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rr_A==.\(key)", "g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQB==.\(key)",
        // A node's real name, a number with a leading zero, a number above 32 bits, too few bytes after it, and Erlang
        // 22.
        "g1h2AAtyYWJiaXRAaG9zdAAAAGQAAAAAY3rrQA==.\(key)", "g1h2AApyZXBseUAwMTIzAAAAZAAAAABjeutA.\(key)",
        "g1h2ABFyZXBseUA5OTk5OTk5OTk5OQAAAGQAAAAAY3rrQA==.\(key)", "g1h2AAtyZXBseUAxMjM0NWFiYw==.\(key)",
        "g2d2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.\(key)",
    ])
    func anythingElseIsNot(words: String) {
        #expect(DirectReplyAddress("amq.rabbitmq.reply-to.\(words)") == nil)
        #expect(DirectReplyAddress(words) == nil)
    }
}
