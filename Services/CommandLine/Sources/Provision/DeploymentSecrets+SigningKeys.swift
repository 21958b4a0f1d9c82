import ServiceMessages
import SignedTokens

/// The signing keys. Only the operator has the deployment's secrets; each service gets the keys for its own signatures.
extension DeploymentSecrets {
    private static let fileName = "signing-keys"

    /// Creates the operator's secrets if they are missing, and derives each service's keys from them. To rotate a key,
    /// change the operator's file. In earlier versions, a service's file contained secrets instead of derived keys.
    /// Such a file is kept for as long as any of its secrets is missing from the operator's file.
    ///
    /// - Throws: ``ProvisionError``, for example if services have keys whose secrets are missing.
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

    /// Returns the keys in the operator's file. If the file is missing, it is created with the secrets that an earlier
    /// version stored in a service's file, or with a new secret.
    private func deploymentKeys() throws(ProvisionError) -> SigningKeyFile {
        if let present = try keys(of: Self.operatorName) {
            guard !present.secrets.isEmpty else {
                throw ProvisionError(
                    "\(path)/\(Self.operatorName)/\(Self.fileName) contains no line of the form ID:SECRET, "
                        + "where SECRET is 64 hexadecimal digits"
                )
            }
            return present
        }
        var text = "k1:\(SecretText.random(bytes: 32))"
        for service in ServiceName.allCases {
            guard let present = try keys(of: service.rawValue) else { continue }
            guard !present.secrets.isEmpty else {
                throw ProvisionError(
                    "\(path)/\(Self.operatorName)/\(Self.fileName) is missing, but the services' keys were derived from "
                        + "it. Restore it, or delete the services' \(Self.fileName) files to create new keys")
            }
            text = try read(Self.fileName, of: service.rawValue)
            break
        }
        try add(Self.fileName, of: Self.operatorName, text)
        return try SigningKeyFile.parse(text, Self.fileName)
    }

    /// Returns the keys in the file of `owner`; nil if there is no file.
    private func keys(of owner: String) throws(ProvisionError) -> SigningKeyFile? {
        guard exists(Self.fileName, of: owner) else { return nil }
        return try SigningKeyFile.parse(try read(Self.fileName, of: owner), "\(path)/\(owner)/\(Self.fileName)")
    }
}

extension SigningKeyFile {
    /// Parses keys.
    ///
    /// - Throws: a ``ProvisionError`` that names the file.
    fileprivate static func parse(_ text: String, _ name: String) throws(ProvisionError) -> SigningKeyFile {
        do {
            return try SigningKeyFile(parsing: text)
        } catch {
            throw ProvisionError("\(name): \(error)")
        }
    }
}
