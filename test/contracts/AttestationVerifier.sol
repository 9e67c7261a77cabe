// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// A second opinion on attestd's EAS off-chain attestations of version 2, for tests: hashes as EIP-712 says, in the EVM,
/// and shares no line with attestd or viem.
contract AttestationVerifier {
    struct Domain {
        string name;
        string version;
        uint256 chainId;
        address verifyingContract;
    }

    struct Attest {
        uint16 version;
        bytes32 schema;
        address recipient;
        uint64 time;
        uint64 expirationTime;
        bool revocable;
        bytes32 refUID;
        bytes data;
        bytes32 salt;
    }

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant ATTEST_TYPE = keccak256(
        "Attest(uint16 version,bytes32 schema,address recipient,uint64 time,uint64 expirationTime,bool revocable,bytes32 refUID,bytes data,bytes32 salt)"
    );
    /// Half the order of secp256k1 (EIP-2).
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    error UpperHalf();
    error NoSigner();

    /// Who signed the attestation.
    function recover(Domain calldata domain, Attest calldata message, uint8 v, bytes32 r, bytes32 s)
        external
        pure
        returns (address signer)
    {
        if (uint256(s) > HALF_ORDER) revert UpperHalf();
        signer = ecrecover(hashOf(domain, message), v, r, s);
        if (signer == address(0)) revert NoSigner();
    }

    function hashOf(Domain calldata domain, Attest calldata message) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", hashDomain(domain), hashMessage(message)));
    }

    /// The uid: the schema counts as the text of its lower-case hex.
    function uidOf(Attest calldata message) external pure returns (bytes32) {
        bytes memory head = abi.encodePacked(message.version, hexText(message.schema), message.recipient, address(0));
        bytes memory middle =
            abi.encodePacked(message.time, message.expirationTime, message.revocable, message.refUID, message.data);
        return keccak256(abi.encodePacked(head, middle, message.salt, uint32(0)));
    }

    /// The data of attestd's default schema, as the EVM reads it.
    function readDefault(bytes calldata data)
        external
        pure
        returns (string memory assetId, bytes32 contentHash, uint16 deepfakeRiskBps, string memory algorithm)
    {
        return abi.decode(data, (string, bytes32, uint16, string));
    }

    function hashDomain(Domain calldata domain) private pure returns (bytes32) {
        bytes32 name = keccak256(bytes(domain.name));
        bytes32 version = keccak256(bytes(domain.version));
        return keccak256(abi.encode(DOMAIN_TYPE, name, version, domain.chainId, domain.verifyingContract));
    }

    function hashMessage(Attest calldata message) private pure returns (bytes32) {
        bytes memory head =
            abi.encode(ATTEST_TYPE, message.version, message.schema, message.recipient, message.time);
        bytes memory tail = abi.encode(
            message.expirationTime, message.revocable, message.refUID, keccak256(message.data), message.salt
        );
        return keccak256(bytes.concat(head, tail));
    }

    function hexText(bytes32 value) private pure returns (bytes memory text) {
        bytes16 digits = "0123456789abcdef";
        text = new bytes(66);
        text[0] = "0";
        text[1] = "x";
        for (uint256 i = 0; i < 32; i++) {
            text[2 + 2 * i] = digits[uint8(value[i]) >> 4];
            text[3 + 2 * i] = digits[uint8(value[i]) & 15];
        }
    }
}
