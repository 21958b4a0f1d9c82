import AMQPClient
import CloudKitModel
import ServiceMessages
import Testing

struct RoutingKeyTests {
    @Test(arguments: [
        ("Z", "Z"),
        ("iCloud.org.example.app", "iCloud%2Eorg%2Eexample%2Eapp"),
        ("a*b#c%d~e", "a%2Ab%23c%25d%7Ee"),
        ("Ärger", "%C3%84rger"),
        ("tab\tname", "tab%09name"),
        (String(repeating: "x", count: 40), String(repeating: "x", count: 40)),
        (String(repeating: "x", count: 41), "~3164596df4fdd018b2c567ec8c03e79b"),
    ])
    func aPartIsEncodedOrDigested(name: String, part: String) {
        #expect(RoutingKey.part(name) == part)
    }

    @Test func aChangeKeyNamesShardAndZone() {
        let address = ZoneAddress(
            container: "iCloud.t", environment: .development, scope: .private,
            owner: "_" + String(repeating: "a", count: 32), zone: "Z")
        #expect(
            RoutingKey.change(address)
                == "08.iCloud%2Et.development.private._aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.Z")
    }

    @Test func theLongestNamesFitIntoAKey() {
        let long = String(repeating: "ä.", count: 200)
        let address = ZoneAddress(
            container: long, environment: .development, scope: .private, owner: long,
            zone: ZoneName(unchecked: long))
        #expect(RoutingKey.change(address).utf8.count <= 255)
    }

    @Test(arguments: [
        ("amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.a2tra2tra2tra2tra2traw==", true),
        ("reply.mine", true), ("record.writes", false), ("", false), ("amq.rabbitmq.reply-to.g1h2", false),
        ("amq.rabbitmq.reply-to", false), ("replying", false),
    ])
    func answersGoOnlyWhereACallerMayListen(replyTo: String, isAllowed: Bool) {
        #expect(ReplyAddress.isAllowed(replyTo) == isAllowed)
    }
}
