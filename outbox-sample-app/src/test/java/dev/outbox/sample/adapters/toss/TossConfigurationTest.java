package dev.outbox.sample.adapters.toss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.outbox.sample.billing.Bank;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

class TossConfigurationTest {

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withBean(JdbcClient.class, () -> mock(JdbcClient.class))
            .withUserConfiguration(TossConfiguration.class);

    @Test
    void secretKeyIsEnough() {
        service.withPropertyValues("sample.billing.bank=toss", "sample.billing.toss.secret-key=test_sk_1")
                .run((context) -> {
                    assertThat(context).hasSingleBean(Bank.class);
                    assertThat(context.getBean(TossSettings.class).toString()).doesNotContain("test_sk_1");
                });
    }

    @Test
    void missingSecretKeyIsRefusedAtStart() {
        service.withPropertyValues("sample.billing.bank=toss")
                .run((context) -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("'secretKey'", "must not be blank"));
    }
}
