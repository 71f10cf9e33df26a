package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** With a broker. */
class OverKafkaTest {

    @Test
    void warehouseShipsTheFirstOrder() {
        try (ConfigurableApplicationContext shop = TestShopApplication.start().getApplicationContext()) {
            Orders orders = shop.getBean(Orders.class);

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(orders.parcel("1")).contains("P-1"));
        }
    }
}
