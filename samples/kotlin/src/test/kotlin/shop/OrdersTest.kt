package shop

import dev.outbox.test.OutboxTester
import dev.outbox.test.autoconfigure.OutboxTest
import org.junit.jupiter.api.Test
import org.springframework.test.context.TestConstructor
import org.springframework.test.context.TestConstructor.AutowireMode

@OutboxTest(Orders::class, Journal::class)
@TestConstructor(autowireMode = AutowireMode.ALL)
class OrdersTest(private val orders: Orders, private val outbox: OutboxTester) {

    @Test
    fun placedOrderReachesTheJournal() {
        orders.place("2", Cents(100))

        outbox.drain()

        outbox.assertThat().published(OrderPlaced::class.java).forAggregate("order", "2").handledBy("journal")
    }
}
