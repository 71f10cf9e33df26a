package dev.outbox.spring.autoconfigure.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {

    private static final String VALID = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @Test
    void readsIdsAndFlag() {
        assertThat(TraceParent.parse(VALID))
                .isEqualTo(new TraceParent("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true));
        assertThat(TraceParent.parse(VALID.replace("-01", "-00")))
                .extracting(TraceParent::sampled)
                .isEqualTo(false);
        assertThat(TraceParent.parse(VALID + "-future")).isNotNull();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "00",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            })
    void invalidHeaderIsIgnored(String header) {
        assertThat(TraceParent.parse(header)).isNull();
    }
}
