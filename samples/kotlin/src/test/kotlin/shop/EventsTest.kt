package shop

import dev.outbox.OutboxEvent
import dev.outbox.OutboxPublisher
import dev.outbox.test.OutboxTester
import dev.outbox.test.autoconfigure.AutoConfigureOutbox
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.test.context.TestConstructor
import org.springframework.test.context.TestConstructor.AutowireMode
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.support.TransactionTemplate

@SpringBootTest
@AutoConfigureOutbox
@TestConstructor(autowireMode = AutowireMode.ALL)
class EventsTest(
    private val orders: Orders,
    private val journal: Journal,
    private val publisher: OutboxPublisher,
    private val transactions: PlatformTransactionManager,
    private val outbox: OutboxTester,
) {

    @Test
    fun olderEventsGetTheDefaultsOfNewParameters() {
        orders.place("1", Cents(4200))
        val older = OutboxEvent.of("order", "1", mapOf("orderId" to "1")).withEventType("OrderCancelled")
        TransactionTemplate(transactions).executeWithoutResult { publisher.publish(older) }

        outbox.drain()

        assertThat(journal.entries).containsSequence(OrderPlaced("1", Cents(4200)), OrderCancelled("1", "customer"))
    }

    @Test
    fun eventThatLacksAParameterIsDead() {
        val incomplete = OutboxEvent.of("order", "4", mapOf("orderId" to "4")).withEventType("OrderPlaced")
        TransactionTemplate(transactions).executeWithoutResult { publisher.publish(incomplete) }

        outbox.drain()

        outbox.assertThat().published("OrderPlaced").forAggregate("order", "4").isDead()
            .withError("the Kotlin parameter 'total' has no value and may not be null; give it a default or make it nullable")
    }

    @Test
    fun valueClassIsStoredAsItsValue() {
        orders.place("3", Cents(100))

        outbox.assertThat().published("OrderPlaced").forAggregate("order", "3").satisfies { payload ->
            assertThat(payload.toString()).isEqualTo("""{"total":100,"orderId":"3"}""")
        }
    }

    @Test
    fun objectIsAnEventWithoutData() {
        TransactionTemplate(transactions).executeWithoutResult { publisher.publish("shop", "1", OrdersClosed) }

        outbox.drain()

        assertThat(journal.entries.last()).isSameAs(OrdersClosed)
    }
}
