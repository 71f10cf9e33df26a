package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.internal.runtime.OutboxDependencies.Capacity;
import java.lang.reflect.Method;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class HandlerCapacityTest {

    @Test
    void capacityIsUnknownWhereThePoolIs() {
        try (HikariDataSource pool = new HikariDataSource()) {
            Capacity capacity = HandlerCapacity.of(new MockEnvironment(), pool, Stream.empty());
            assertThat(capacity.connections()).isEqualTo(OptionalInt.empty());
        }
    }

    @Test
    void threadsArePlatformThreadsThatDoNotKeepTheProcessAlive() throws Exception {
        Thread thread = thread(new MockEnvironment());
        assertThat(thread.isDaemon()).isTrue();
        assertThat(isVirtual(thread)).isFalse();
        assertThat(thread.getName()).startsWith("outbox-handler-");
    }

    @Test
    void threadsAreVirtualWhereTheApplicationWantsSuchAndTheJvmHasThem() throws Exception {
        Thread thread = thread(new MockEnvironment().withProperty("spring.threads.virtual.enabled", "true"));
        assertThat(isVirtual(thread)).isEqualTo(Runtime.version().feature() >= 21);
        assertThat(thread.getName()).startsWith("outbox-handler-");
    }

    private static Thread thread(MockEnvironment environment) {
        try (HikariDataSource pool = new HikariDataSource()) {
            return HandlerCapacity.of(environment, pool, Stream.empty())
                    .threads()
                    .newThread(() -> {});
        }
    }

    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        if (Runtime.version().feature() < 21) {
            return false;
        }
        Method isVirtual = Thread.class.getMethod("isVirtual");
        return (boolean) isVirtual.invoke(thread);
    }
}
