// Package largepage asks the system to back big blocks of memory with large pages.
//
// A hash table of gigabytes is read at random places. On small pages each read misses the TLB as well as the
// cache, and under virtualisation a TLB miss can cost more than the cache miss. Where the system has no large
// pages, or no means to ask for them, the functions do nothing and everything works, slower.
package largepage
