package dev.outbox.sample.adapters.webpush;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import dev.outbox.sample.push.Device.Keys;
import dev.outbox.sample.push.Device.Subscription;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A browser: its keys, and how it reads a message. */
final class Browser {

    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final ECKey key = newKey();
    private final byte[] auth = new byte[16];

    Browser() {
        new SecureRandom().nextBytes(auth);
    }

    Subscription subscription(URI endpoint) {
        return new Subscription(endpoint, new Keys(BASE64URL.encodeToString(point()), BASE64URL.encodeToString(auth)));
    }

    String decrypt(byte[] message) {
        ByteBuffer header = ByteBuffer.wrap(message);
        byte[] salt = new byte[16];
        header.get(salt);
        header.getInt();
        byte[] sender = new byte[header.get()];
        header.get(sender);
        byte[] sealed = new byte[header.remaining()];
        header.get(sealed);
        try {
            KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
            agreement.init(key.toECPrivateKey());
            agreement.doPhase(publicKey(sender), true);
            byte[] input = hmac(
                    hmac(auth, agreement.generateSecret()),
                    "WebPush: info\0".getBytes(StandardCharsets.US_ASCII),
                    point(),
                    sender,
                    new byte[] {1});
            byte[] pseudoRandom = hmac(salt, input);
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    new SecretKeySpec(derive(pseudoRandom, "aes128gcm", 16), "AES"),
                    new GCMParameterSpec(128, derive(pseudoRandom, "nonce", 12)));
            byte[] padded = cipher.doFinal(sealed);
            return new String(padded, 0, padded.length - 1, StandardCharsets.UTF_8);
        } catch (GeneralSecurityException | JOSEException ex) {
            throw new AssertionError(ex);
        }
    }

    private byte[] point() {
        return ByteBuffer.allocate(65)
                .put((byte) 4)
                .put(key.getX().decode())
                .put(key.getY().decode())
                .array();
    }

    private static ECPublicKey publicKey(byte[] point) throws JOSEException {
        return new ECKey.Builder(
                        Curve.P_256,
                        Base64URL.encode(Arrays.copyOfRange(point, 1, 33)),
                        Base64URL.encode(Arrays.copyOfRange(point, 33, 65)))
                .build()
                .toECPublicKey();
    }

    private static ECKey newKey() {
        try {
            return new ECKeyGenerator(Curve.P_256).generate();
        } catch (JOSEException ex) {
            throw new AssertionError(ex);
        }
    }

    private static byte[] derive(byte[] key, String name, int length) throws GeneralSecurityException {
        byte[] info = ("Content-Encoding: " + name + "\0").getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOf(hmac(key, info, new byte[] {1}), length);
    }

    private static byte[] hmac(byte[] key, byte[]... data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        for (byte[] part : data) {
            mac.update(part);
        }
        return mac.doFinal();
    }
}
