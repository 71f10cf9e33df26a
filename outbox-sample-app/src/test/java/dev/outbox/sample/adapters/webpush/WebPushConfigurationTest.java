package dev.outbox.sample.adapters.webpush;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.push.PushGateway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

class WebPushConfigurationTest {

    private static final String PUBLIC_KEY =
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
    private static final String PRIVATE_KEY = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
    private static final String FOREIGN_KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withBean(JsonMapper.class, JsonMapper::new)
            .withUserConfiguration(WebPushConfiguration.class)
            .withPropertyValues(
                    "push.gateway=web-push",
                    "push.web-push.public-key=" + PUBLIC_KEY,
                    "push.web-push.private-key=" + PRIVATE_KEY,
                    "push.web-push.subject=mailto:ops@example.net");

    @Test
    void keysAndSubjectAreEnough() {
        service.run((context) -> {
            assertThat(context).hasSingleBean(PushGateway.class);
            assertThat(context.getBean(WebPushSettings.class).toString())
                    .doesNotContain(PRIVATE_KEY)
                    .contains("mailto:ops@example.net");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            public-key=             | on field 'publicKey'
            private-key=            | on field 'privateKey'
            private-key=AAAA        | are not a pair of VAPID keys in base64url
            private-key=%           | are not a pair of VAPID keys in base64url
            private-key=FOREIGN_KEY | are not a pair of VAPID keys in base64url
            subject=ops             | on field 'subject'
            time-to-live=-1s        | on field 'timeToLive'
            timeouts.read=0s        | timeouts must be positive: connect PT1S, read PT0S
            """)
    void invalidSettingIsRefusedAtStart(String property, String problem) {
        service.withPropertyValues("push.web-push." + property.replace("FOREIGN_KEY", FOREIGN_KEY))
                .run((context) ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(problem));
    }
}
