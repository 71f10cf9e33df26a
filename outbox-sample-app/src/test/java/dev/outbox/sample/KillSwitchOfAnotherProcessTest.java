package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outbox.sample.trading.TradingApi;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;

/** An operator turns the kill switch on in the web process, and the worker learns of it by an event. */
@Tag("full")
@SampleTest
@ActiveProfiles("web")
class KillSwitchOfAnotherProcessTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcConnectionDetails database;

    @Autowired
    private JdbcClient jdbc;

    private Api api;
    private TradingApi trading;

    @BeforeEach
    void connect() {
        api = new Api(port);
        trading = new TradingApi(api);
    }

    @Test
    void workerLearnsOfTheSwitchByAnEvent() {
        api.put("/settings/kill-switch", "{\"on\": true}");
        assertThat(api.events())
                .extracting("stream", "status")
                .containsExactly(tuple("everbit.system.event", "PENDING"));
        assertThat(killSwitchOfTrading()).isEmpty();

        try (ConfigurableApplicationContext worker = startWorker()) {
            assertThat(worker.isRunning()).isTrue();
            api.awaitPublished();
            assertThat(killSwitchOfTrading()).containsExactly("on");

            String intent = trading.signal("BUY", "0.5");
            String command = trading.awaitDeadCommand();
            trading.awaitIntent(intent, "HALTED");
            assertThat(trading.placements()).isEmpty();

            trading.change("kill-switch", "{\"on\": false}");
            trading.retry(command);
            trading.awaitIntent(intent, "ACCEPTED");
        }
        assertThat(trading.placements()).containsExactly(1);
    }

    private List<String> killSwitchOfTrading() {
        return jdbc.sql("SELECT value FROM trading.settings WHERE key = 'kill-switch'")
                .query(String.class)
                .list();
    }

    private ConfigurableApplicationContext startWorker() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword());
    }
}
