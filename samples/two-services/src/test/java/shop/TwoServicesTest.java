package shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TwoServicesTest {

    @Test
    void warehouseShipsTheFirstOrder() {
        try (TwoServices services = TwoServices.start()) {
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(services.orders().parcel("1")).contains("P-1"));
        }
    }
}
