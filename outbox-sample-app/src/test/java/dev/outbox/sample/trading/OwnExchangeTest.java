package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.TestPropertySource;

/** A team's own exchange takes the place of the simulated one. */
@SampleTest
@Import(OwnExchangeTest.Adapter.class)
@TestPropertySource(properties = "trading.exchange=scripted")
class OwnExchangeTest {

    @LocalServerPort
    private int port;

    @Autowired
    private ScriptedExchange exchange;

    @Test
    void ordersGoToTheExchangeThatThePropertyNames() {
        Api api = new Api(port);
        TradingApi trading = new TradingApi(api);

        String intent = trading.signal("BUY", "0.5");

        trading.awaitIntent(intent, "ACCEPTED");
        assertThat(exchange.placements()).isOne();
        assertThat(api.get("/exchange/markets/" + trading.market() + "/orders").getStatusCode())
                .isEqualTo(HttpStatus.NOT_FOUND);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Adapter {

        @Bean
        ScriptedExchange exchange() {
            return new ScriptedExchange();
        }
    }
}
