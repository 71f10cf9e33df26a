package dev.outbox.sample.push.webpush;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.util.Arrays;

/** Keys of the curve P-256 in the raw form of Web Push: uncompressed points of 65 bytes, scalars of 32 bytes. */
final class P256 {

    static final int POINT_LENGTH = 65;
    private static final int SCALAR_LENGTH = 32;
    private static final byte UNCOMPRESSED = 4;
    private static final ECGenParameterSpec CURVE = new ECGenParameterSpec("secp256r1");
    private static final ECParameterSpec PARAMETERS = parameters();

    private P256() {}

    static KeyPair generate() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(CURVE);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException ex) {
            throw unavailable(ex);
        }
    }

    /** Reads a public key and rejects a point that is not on the curve. */
    static ECPublicKey publicKey(byte[] point) {
        if (point.length != POINT_LENGTH || point[0] != UNCOMPRESSED) {
            throw new IllegalArgumentException("is not an uncompressed point of P-256");
        }
        BigInteger x = new BigInteger(1, Arrays.copyOfRange(point, 1, 1 + SCALAR_LENGTH));
        BigInteger y = new BigInteger(1, Arrays.copyOfRange(point, 1 + SCALAR_LENGTH, POINT_LENGTH));
        if (!isOnCurve(x, y)) {
            throw new IllegalArgumentException("is not a point of P-256");
        }
        try {
            return (ECPublicKey)
                    KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(new ECPoint(x, y), PARAMETERS));
        } catch (GeneralSecurityException ex) {
            throw new IllegalArgumentException("is not a point of P-256", ex);
        }
    }

    static ECPrivateKey privateKey(byte[] scalar) {
        BigInteger value = new BigInteger(1, scalar);
        if (scalar.length != SCALAR_LENGTH || value.signum() == 0 || value.compareTo(PARAMETERS.getOrder()) >= 0) {
            throw new IllegalArgumentException("is not a private key of P-256");
        }
        try {
            return (ECPrivateKey) KeyFactory.getInstance("EC").generatePrivate(new ECPrivateKeySpec(value, PARAMETERS));
        } catch (GeneralSecurityException ex) {
            throw new IllegalArgumentException("is not a private key of P-256", ex);
        }
    }

    static byte[] encode(ECPublicKey key) {
        byte[] point = new byte[POINT_LENGTH];
        point[0] = UNCOMPRESSED;
        write(key.getW().getAffineX(), point, 1);
        write(key.getW().getAffineY(), point, 1 + SCALAR_LENGTH);
        return point;
    }

    private static void write(BigInteger coordinate, byte[] point, int offset) {
        byte[] bytes = coordinate.toByteArray();
        int length = Math.min(bytes.length, SCALAR_LENGTH);
        System.arraycopy(bytes, bytes.length - length, point, offset + SCALAR_LENGTH - length, length);
    }

    /** y² = x³ + ax + b. */
    private static boolean isOnCurve(BigInteger x, BigInteger y) {
        BigInteger p = ((ECFieldFp) PARAMETERS.getCurve().getField()).getP();
        BigInteger right = x.pow(3)
                .add(PARAMETERS.getCurve().getA().multiply(x))
                .add(PARAMETERS.getCurve().getB());
        return x.compareTo(p) < 0
                && y.compareTo(p) < 0
                && y.pow(2).subtract(right).mod(p).signum() == 0;
    }

    private static ECParameterSpec parameters() {
        try {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
            parameters.init(CURVE);
            return parameters.getParameterSpec(ECParameterSpec.class);
        } catch (GeneralSecurityException ex) {
            throw unavailable(ex);
        }
    }

    private static IllegalStateException unavailable(GeneralSecurityException cause) {
        return new IllegalStateException("this Java runtime lacks the curve P-256", cause);
    }
}
