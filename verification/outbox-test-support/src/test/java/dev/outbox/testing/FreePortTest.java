package dev.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {

    private static final int FIRST_OF_CLIENTS = 32_768;

    @Test
    void eachCallFindsAnotherPortThatNoClientIsGiven() {
        Set<Integer> found = new HashSet<>();
        for (int call = 0; call < 200; call++) {
            int port = FreePort.find();
            assertThat(port).isLessThan(FIRST_OF_CLIENTS);
            assertThat(found.add(port))
                    .as("%d is found for the first time", port)
                    .isTrue();
        }
    }
}
