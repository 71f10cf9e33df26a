package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.trading.Exchange.Answer;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A team's own exchange takes the place of the simulated one. */
@Tag("full")
@SampleTest
@Import(OwnExchangeTest.Adapter.class)
@TestPropertySource(properties = "trading.exchange=scripted")
class OwnExchangeTest {

    @Autowired
    private Api api;

    @Autowired
    private ScriptedExchange exchange;

    @Autowired
    private DataSource dataSource;

    @Test
    void exchangeIsCalledOutsideAnyTransaction() {
        TradingApi trading = new TradingApi(api);
        AtomicBoolean inTransaction = new AtomicBoolean(true);
        AtomicBoolean withConnection = new AtomicBoolean(true);
        exchange.answers(() -> {
            inTransaction.set(TransactionSynchronizationManager.isActualTransactionActive());
            withConnection.set(TransactionSynchronizationManager.hasResource(dataSource));
            return new Answer.Accepted("exchange-1");
        });

        trading.awaitIntent(trading.signal("BUY", "0.5"), "ACCEPTED");

        assertThat(inTransaction).isFalse();
        assertThat(withConnection).isFalse();
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Adapter {

        @Bean
        ScriptedExchange exchange() {
            return new ScriptedExchange();
        }
    }
}
