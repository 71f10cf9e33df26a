package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two processes' worth of this service on one database: nothing is handled twice, and the order of each order's events holds. */
@Tag("full")
@SampleTest
class TwoInstancesTest {

    private static final int ORDERS = 60;

    @Autowired
    private Api one;

    @Autowired
    private JdbcConnectionDetails database;

    @Autowired
    private MeterRegistry meters;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void instancesShareEventsAndHandleEachOnce() {
        try (ConfigurableApplicationContext other = startAnother()) {
            Api two = new Api(other.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
            MeterRegistry otherMeters = other.getBean(MeterRegistry.class);
            double before = followed(meters);

            List<String> orders = new ArrayList<>();
            for (int number = 0; number < ORDERS; number++) {
                String order = one.order("shared");
                two.put("/orders/" + order + "/item", "{\"item\": \"changed\"}");
                one.pay(order);
                orders.add(order);
            }

            await().atMost(Api.DEADLINE)
                    .untilAsserted(() -> assertThat(ready(orders)).isEqualTo(ORDERS));
            one.awaitPublished();
            two.awaitPublished();
            double byOne = followed(meters) - before;
            double byTwo = followed(otherMeters);
            assertThat(byOne + byTwo).isEqualTo(3 * ORDERS);
            assertThat(byOne).isPositive();
            assertThat(byTwo).isPositive();
            assertThat(one.find("/sales/changed")).containsEntry("sold", ORDERS);
        }
    }

    private ConfigurableApplicationContext startAnother() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword());
    }

    private long ready(List<String> orders) {
        return jdbc.sql("""
                        SELECT count(*)
                          FROM fulfilment.fulfilments
                          JOIN fulfilment.aggregate_checkpoint ON aggregate_id = order_id
                         WHERE order_id IN (:orders)
                           AND status = 'ready'
                           AND item = 'changed'
                           AND last_seq = 3
                        """).param("orders", orders).query(Long.class).single();
    }

    /** Returns how often an instance has handled an event for fulfilment, successfully or not. */
    private static double followed(MeterRegistry meters) {
        return meters.find("outbox.processed").tag("handler", "fulfilment.order").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
