package shop

import java.util.UUID
import org.springframework.boot.CommandLineRunner
import org.springframework.boot.fromApplication
import org.springframework.boot.test.context.TestConfiguration
import org.springframework.boot.with
import org.springframework.context.annotation.Bean

@TestConfiguration(proxyBeanMethods = false)
class TestShop {

    @Bean
    fun firstOrder(orders: Orders) = CommandLineRunner { orders.place(UUID.randomUUID().toString(), Cents(4200)) }
}

fun main(arguments: Array<String>) {
    fromApplication<Shop>().with(TestShop::class).run(*arguments)
}
