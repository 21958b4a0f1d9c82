import ServiceMessages
import SignedTokens

/// The deployment's secrets are the operator's; a service gets the keys that it needs, and can sign for nothing else.
extension DeploymentSecrets {
    private static let fileName = "signing-keys"

    /// Makes the operator's secrets when there are none, and brings each service's keys up to them: so a key is rotated
    /// in the operator's file. A file of secrets in a service's folder (all had one in earlier versions) stays while it
    /// has some that the operator's file lacks.
    ///
    /// - Throws: ``ProvisionError``, also when services have keys whose secrets are gone.
    func fillSigningKeys() throws(ProvisionError) {
        let secrets = try deploymentKeys()
        for service in ServiceName.allCases {
            let derived = secrets.derived(for: service.signingPurposes)
            guard let present = try keys(of: service.rawValue) else {
                try add(Self.fileName, of: service.rawValue, String(derived.dropLast()))
                continue
            }
            let isOwn = !present.secrets.allSatisfy { secrets.secrets.contains($0) }
            guard !isOwn, try SigningKeyFile.parse(derived, Self.fileName) != present else { continue }
            try replace(Self.fileName, of: service.rawValue, String(derived.dropLast()))
        }
    }

    /// The operator's file; the first time it gets what a service has from an earlier version, or a new secret.
    private func deploymentKeys() throws(ProvisionError) -> SigningKeyFile {
        if let present = try keys(of: Self.operatorName) {
            guard !present.secrets.isEmpty else {
                throw ProvisionError(
                    "\(path)/\(Self.operatorName)/\(Self.fileName) has no line of the form id:64 hexadecimal digits")
            }
            return present
        }
        var text = "k1:\(SecretText.random(bytes: 32))"
        for service in ServiceName.allCases {
            guard let present = try keys(of: service.rawValue) else { continue }
            guard !present.secrets.isEmpty else {
                throw ProvisionError(
                    "\(path)/\(Self.operatorName)/\(Self.fileName) is missing, from which the services' keys were derived."
                        + " Put it back, or remove the services' \(Self.fileName) as well to make new ones")
            }
            text = try read(Self.fileName, of: service.rawValue)
            break
        }
        try add(Self.fileName, of: Self.operatorName, text)
        return try SigningKeyFile.parse(text, Self.fileName)
    }

    /// What a folder has; nil for no file.
    private func keys(of owner: String) throws(ProvisionError) -> SigningKeyFile? {
        guard exists(Self.fileName, of: owner) else { return nil }
        return try SigningKeyFile.parse(try read(Self.fileName, of: owner), "\(path)/\(owner)/\(Self.fileName)")
    }
}

extension SigningKeyFile {
    /// The keys of a text.
    ///
    /// - Throws: ``ProvisionError`` naming the file.
    fileprivate static func parse(_ text: String, _ name: String) throws(ProvisionError) -> SigningKeyFile {
        do {
            return try SigningKeyFile(parsing: text)
        } catch {
            throw ProvisionError("\(name): \(error)")
        }
    }
}
