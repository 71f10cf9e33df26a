package dev.outbox.sample.push.webpush;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Encrypts a message for one subscription (RFC 8291), as a single record of the content coding {@code aes128gcm} (RFC 8188). */
final class MessageEncryption {

    /** What every push service must accept (RFC 8030), less header, padding delimiter and authentication tag. */
    static final int MAX_PLAINTEXT = 4096 - 86 - 1 - 16;

    private static final int RECORD_SIZE = 4096;
    private static final int SALT_LENGTH = 16;
    private static final int KEY_LENGTH = 16;
    private static final int NONCE_LENGTH = 12;
    private static final int TAG_BITS = 128;
    private static final byte LAST_RECORD = 2;

    private final SecureRandom random = new SecureRandom();

    byte[] encrypt(byte[] plaintext, SubscriptionKeys subscription) {
        byte[] salt = new byte[SALT_LENGTH];
        random.nextBytes(salt);
        return encrypt(plaintext, subscription, P256.generate(), salt);
    }

    /** Encrypts with a given key pair and salt, each of which must be used once only. */
    static byte[] encrypt(byte[] plaintext, SubscriptionKeys subscription, KeyPair sender, byte[] salt) {
        if (plaintext.length > MAX_PLAINTEXT) {
            throw new IllegalArgumentException(
                    "a message has at most %d bytes: %d".formatted(MAX_PLAINTEXT, plaintext.length));
        }
        byte[] senderPoint = P256.encode((ECPublicKey) sender.getPublic());
        try {
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(sender.getPrivate());
            agreement.doPhase(subscription.browser(), true);
            byte[] info = concat(ascii("WebPush: info\0"), P256.encode(subscription.browser()), senderPoint);
            byte[] inputKey = expand(hmac(subscription.auth(), agreement.generateSecret()), info, 32);
            byte[] pseudoRandomKey = hmac(salt, inputKey);
            byte[] key = expand(pseudoRandomKey, ascii("Content-Encoding: aes128gcm\0"), KEY_LENGTH);
            byte[] nonce = expand(pseudoRandomKey, ascii("Content-Encoding: nonce\0"), NONCE_LENGTH);
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
            return concat(header(salt, senderPoint), cipher.doFinal(concat(plaintext, new byte[] {LAST_RECORD})));
        } catch (GeneralSecurityException ex) {
            throw new IllegalStateException("this Java runtime cannot encrypt for Web Push", ex);
        }
    }

    private static byte[] header(byte[] salt, byte[] keyId) {
        return ByteBuffer.allocate(SALT_LENGTH + Integer.BYTES + 1 + keyId.length)
                .put(salt)
                .putInt(RECORD_SIZE)
                .put((byte) keyId.length)
                .put(keyId)
                .array();
    }

    /** HKDF-Expand for at most one block. */
    private static byte[] expand(byte[] key, byte[] info, int length) throws GeneralSecurityException {
        return Arrays.copyOf(hmac(key, concat(info, new byte[] {1})), length);
    }

    private static byte[] hmac(byte[] key, byte[] data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(data);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] concat(byte[]... parts) {
        ByteBuffer whole = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt((part) -> part.length).sum());
        Arrays.stream(parts).forEach(whole::put);
        return whole.array();
    }
}
