package dev.outbox.sample.push.webpush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outbox.sample.push.Device.Subscription;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageEncryptionTest {

    private static final URI ENDPOINT = URI.create("https://push.example.net/p");

    /** Section 5 of RFC 8291. */
    @Test
    void encryptsTheExampleOfTheRfc() {
        SubscriptionKeys subscription = keys(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                "BTBZMqHH6r4Tts7J_aSIgg");
        KeyPair sender = new KeyPair(
                P256.publicKey(bytes(
                        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")),
                P256.privateKey(bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")));

        byte[] encrypted = MessageEncryption.encrypt(
                "When I grow up, I want to be a watermelon".getBytes(StandardCharsets.US_ASCII),
                subscription,
                sender,
                bytes("DGv6ra1nlYgDCS1FRnbzlw"));

        assertThat(Base64.getUrlEncoder().withoutPadding().encodeToString(encrypted))
                .isEqualTo("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6"
                        + "e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZ"
                        + "wbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN");
    }

    @Test
    void everyMessageHasItsOwnKeyAndSalt() {
        Browser browser = new Browser();
        SubscriptionKeys keys = new SubscriptionKeys(browser.subscription(ENDPOINT));
        MessageEncryption encryption = new MessageEncryption();
        byte[] message = "message".getBytes(StandardCharsets.UTF_8);

        byte[] first = encryption.encrypt(message, keys);
        byte[] second = encryption.encrypt(message, keys);

        assertThat(first).isNotEqualTo(second);
        assertThat(browser.decrypt(first)).isEqualTo("message");
        assertThat(browser.decrypt(second)).isEqualTo("message");
    }

    @Test
    void longestMessageFitsIntoFourKilobytes() {
        Browser browser = new Browser();
        SubscriptionKeys keys = new SubscriptionKeys(browser.subscription(ENDPOINT));
        MessageEncryption encryption = new MessageEncryption();

        assertThat(encryption.encrypt(new byte[MessageEncryption.MAX_PLAINTEXT], keys))
                .hasSize(4096);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encryption.encrypt(new byte[MessageEncryption.MAX_PLAINTEXT + 1], keys))
                .withMessageContaining("at most 3993 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%",
                "BCVx",
                // The last byte of the public key of the RFC is changed: the point is not on the curve.
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8"
            })
    void rejectsInvalidPublicKeys(String p256dh) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(p256dh, "BTBZMqHH6r4Tts7J_aSIgg"))
                .withMessage("p256dh is not a public key of P-256 in base64url");
    }

    @Test
    void rejectsInvalidSecret() {
        String p256dh = new Browser().subscription(ENDPOINT).p256dh();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(p256dh, "BTBZ"))
                .withMessage("auth must have 16 bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> keys(p256dh, "%")).withMessage("auth is not base64url");
    }

    private static SubscriptionKeys keys(String p256dh, String auth) {
        return new SubscriptionKeys(new Subscription(ENDPOINT, p256dh, auth));
    }

    private static byte[] bytes(String base64url) {
        return Base64.getUrlDecoder().decode(base64url);
    }
}
