package dev.outbox.sample.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SigningKeyTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /** The example of the Standard Webhooks specification. */
    @Test
    void signsTheExampleOfTheSpecification() {
        assertThat(signatureOf("{\"test\": 2432232314}")).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void signsATamperedBodyDifferently() {
        assertThat(signatureOf("{\"test\": 2432232315}")).isNotEqualTo(signatureOf("{\"test\": 2432232314}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"whsec_not-base64!", "whsec_c2hvcnQ=", "whsec_"})
    void refusesAMalformedKeyWithoutNamingIt(String secret) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SigningKey.parse(secret))
                .withMessageStartingWith("must ")
                .withMessageNotContaining(secret)
                .withNoCause();
    }

    @Test
    void doesNotShowItself() {
        assertThat(SigningKey.parse(SECRET)).hasToString("SigningKey");
    }

    private static String signatureOf(String body) {
        return SigningKey.parse(SECRET)
                .sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body.getBytes(StandardCharsets.UTF_8));
    }
}
