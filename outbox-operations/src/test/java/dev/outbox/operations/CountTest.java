package dev.outbox.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.internal.sql.Counted;
import org.junit.jupiter.api.Test;

class CountTest {

    @Test
    void countIsExactBelowItsBound() {
        assertThat(Count.upTo(9_999, Count.MOST))
                .isEqualTo(new Count(9_999, true))
                .hasToString("9,999");
        assertThat(Count.upTo(10_001, Count.MOST))
                .isEqualTo(Count.upTo(10_000, Count.MOST))
                .isEqualTo(new Count(10_000, false))
                .hasToString("10,000+");
    }

    @Test
    void sumIsExactIfBothAre() {
        assertThat(new Count(1, true).plus(new Count(2, true))).isEqualTo(new Count(3, true));
        assertThat(new Count(1, true).plus(new Count(2, false))).isEqualTo(new Count(3, false));
    }

    @Test
    void sumThatIsNotExactLooksLikeNoExactOne() {
        assertThat(new Count(10_000, false).plus(new Count(4, true))).hasToString("10,000+");
        assertThat(new Count(10_000, false).plus(new Count(10_000, false))).hasToString("20,000+");
        assertThat(new Counted(1_000, false).plus(new Counted(4, true))).hasToString("1,000+");
        assertThat(new Count(10_000, true).plus(new Count(4, true))).hasToString("10,004");
    }

    @Test
    void countsOfTheCoreHaveTheSameBounds() {
        assertThat(Counted.MOST).isEqualTo(Count.MOST);
        assertThat(Counted.MOST_OF_EACH).isEqualTo(Count.MOST_OF_EACH);
        assertThat(Counted.upTo(1_000, Counted.MOST_OF_EACH)).hasToString("1,000+");
    }
}
